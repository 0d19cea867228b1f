#!/usr/bin/env python3
"""Reads a Core Data store by plain SQL, as an independent judge of ours.

Prints a line for each property of each object:  entity|key|property|value
Values: -, i123, r<hex of the double>, t<hex of UTF-8>, b<length>:<crc32>, oEntity:key, m[Entity:key,...]
Written from the published notes on the layout; nothing of the library is used.
Usage: read_store.py STORE    (a copy is read; the folder stays as it is)
"""
import os, plistlib, re, shutil, sqlite3, struct, sys, tempfile, zlib
from plistlib import UID

FLOATS, TEXTS, BLOBS = {400, 500, 600, 900}, {700, 1200}, {1000, 1100, 1800}


def unarchive(data):
    archive = plistlib.loads(data)
    objects, memo = archive['$objects'], {}

    def resolve(value):
        if not isinstance(value, UID):
            return value
        if value.data in memo:
            return memo[value.data]
        found = objects[value.data]
        if found == '$null':
            return None
        if isinstance(found, dict) and '$class' in found:
            kind = objects[found['$class'].data]['$classname']
            if 'NS.keys' in found:
                made = memo[value.data] = {}
                for key, item in zip(found['NS.keys'], found['NS.objects']):
                    made[resolve(key)] = resolve(item)
                return made
            if 'searchMapping' in found:      # NSKnownKeysDictionary1, as NSEntities is
                made = memo[value.data] = {}
                made.update(zip(resolve(found['searchMapping'])['keys'], resolve(found['values'])))
                return made
            if 'NS.objects' in found:
                made = memo[value.data] = []
                made.extend(resolve(item) for item in found['NS.objects'])
                return made
            if 'NS.string' in found:
                return found['NS.string']
            made = memo[value.data] = {'$kind': kind}
            for key, item in found.items():
                if key != '$class':
                    made[key] = resolve(item)
            return made
        return found

    return resolve(archive['$top']['root'])


def inflate(blob):
    for bits in (-15, 15):
        try:
            return zlib.decompress(blob, bits)
        except zlib.error:
            pass
    return blob


class Store:
    def __init__(self, path):
        self.path = path
        self.folder = tempfile.mkdtemp()
        copy = os.path.join(self.folder, 'store')
        shutil.copy(path, copy)
        for log in ('-wal', '-journal'):
            if os.path.exists(path + log):
                shutil.copy(path + log, copy + log)
        self.db = sqlite3.connect(copy)
        self.db.text_factory = bytes
        self.tables = {}
        for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
            name = name.decode()
            self.tables[name] = [r[1].decode() for r in self.rows(f'PRAGMA table_info("{name}")')]
        root = unarchive(inflate(self.rows('SELECT Z_CONTENT FROM Z_MODELCACHE')[0][0]))
        self.entities = {e['NSEntityName']: e for e in root['NSEntities'].values()}
        self.number = {n.decode(): z for z, n in
                       self.rows('SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16000')}
        known = set(self.number.values())
        order = self.depth_first()
        for place, name in enumerate(order):
            if name not in self.number:       # an older name was left
                before = self.entities[name].get('NSRenamingIdentifier')
                self.number[name] = self.number.get(before, place + 1)
        self.name = {self.number[n]: n for n in self.entities}

    def rows(self, sql, values=()):
        return self.db.execute(sql, values).fetchall()

    def depth_first(self):
        order = []

        def visit(parent):
            here = [n for n, e in self.entities.items()
                    if (e.get('NSSuperentity') or {}).get('NSEntityName') == parent]
            for name in sorted(here, key=lambda n: (n.lower(), n)):
                order.append(name)
                visit(name)
        visit(None)
        return order

    def lineage(self, name):
        while name:
            yield name
            name = (self.entities[name].get('NSSuperentity') or {}).get('NSEntityName')

    def root(self, name):
        return list(self.lineage(name))[-1]

    def table(self, name):
        return 'Z' + self.root(name).upper()

    def family(self, name):
        return [n for n in self.entities if name in self.lineage(n)]

    def properties(self, name):
        """{property: (description, declaring entity)}, inherited ones too"""
        found = {}
        for owner in reversed(list(self.lineage(name))):
            for key, value in self.entities[owner]['NSProperties'].items():
                while 'NSUnderlyingProperty' in value:
                    value = value['NSUnderlyingProperty']
                found.setdefault(key, (value, owner))
        return found

    def has_column(self, value):
        return not value.get('NSIsTransient') and ('NSAttributeType' in value or value.get('NSMaxCount') == 1)

    def column(self, owner, key):
        """siblings' columns of one name get 1, 2, ... in the order of their entities' numbers"""
        base, count = 'Z' + key.upper(), 0
        for name in sorted(self.family(self.root(owner)), key=self.number.get):
            own = {k: v for k, (v, o) in self.properties(name).items() if o == name}
            for other in own:
                if 'Z' + other.upper() != base or not self.has_column(own[other]):
                    continue
                if name == owner and other == key:
                    wanted = base if count == 0 else f'{base}{count}'
                    return wanted if wanted in self.tables[self.table(owner)] else base
                count += 1
        return base

    # ---- links ----

    def target(self, entity, key):
        """The object of a key in an entity's table, or None where it dangles."""
        if key is None:
            return None
        found = self.rows(f'SELECT Z_ENT FROM {self.table(entity)} WHERE Z_PK = ?', (key,))
        return f'{self.name[found[0][0]]}:{key}' if found else None

    def inverse(self, value):
        name, inverse = value['_NSDestinationEntityName'], value.get('_NSInverseRelationshipName')
        for entity in self.family(name) if inverse else []:     # a sub-entity may declare it
            if inverse in self.properties(entity):
                return self.properties(entity)[inverse]
        return None, None

    def one(self, value, owner, key):
        """The key in a to-one's column; of a one-to-one the column may be on the other side only."""
        table, column = self.table(owner), self.column(owner, value['NSPropertyName'])
        if column in self.tables[table]:
            return self.rows(f'SELECT {column} FROM {table} WHERE Z_PK = ?', (key,))[0][0]
        inverse, there = self.inverse(value)
        back = self.column(there, inverse['NSPropertyName'])
        found = self.rows(f'SELECT Z_PK FROM {self.table(there)} WHERE {back} = ? ORDER BY Z_PK', (key,))
        return found[0][0] if found else None

    def pairs(self, value, owner):
        """(table, this side's column, the other's, order column, own inverse)"""
        inverse, there = self.inverse(value)
        name, back = value['NSPropertyName'].upper(), inverse['NSPropertyName'].upper()
        mine = value['NSPropertyName'] == inverse['NSPropertyName'] and there == owner
        tables = [t for t in self.tables if re.fullmatch(rf'Z_\d+({name}|{back})', t)
                  and 'Z_PK' not in self.tables[t]]
        exact = [t for t in tables if t in (f'Z_{self.number[owner]}{name}', f'Z_{self.number[there]}{back}')]
        table = (exact or tables)[0]
        keys = [c for c in self.tables[table] if not c.startswith('Z_FOK_')]
        if mine:
            return table, keys[0], keys[1], None, True
        destination = f"Z_{self.number[value['_NSDestinationEntityName']]}{name}"
        if destination not in keys:
            named = [c for c in keys if re.fullmatch(rf'Z_\d+{name}1?', c)]
            other = [c for c in keys if re.fullmatch(rf'Z_\d+{back}1?', c)]
            destination = named[0] if named else [c for c in keys if c != other[0]][0]
        source = [c for c in keys if c != destination][0]
        order = 'Z_FOK_' + destination[2:] if value.get('NSIsOrdered') else None
        return table, source, destination, order, False

    def many(self, value, owner, key):
        entity = value['_NSDestinationEntityName']
        inverse, there = self.inverse(value)
        if inverse is not None and inverse.get('NSMaxCount') != 1:
            table, source, destination, order, mine = self.pairs(value, owner)
            found = self.rows(f'SELECT {destination} FROM {table} WHERE {source} = ? ORDER BY '
                              f'{order or destination}, {destination}', (key,))
            if mine:
                found = sorted(set(found) | set(self.rows(
                    f'SELECT {source} FROM {table} WHERE {destination} = ?', (key,))))
            return [t for t in (self.target(entity, k) for (k,) in found) if t]
        table = self.table(entity)
        if inverse is None:
            tail = value['NSPropertyName'].upper()
            wanted = f'Z{self.number[owner]}{tail}'
            column = wanted if wanted in self.tables[table] else [
                c for c in self.tables[table] if re.fullmatch(rf'Z\d+{tail}', c)][0]
        else:
            column = self.column(there, inverse['NSPropertyName'])
        order = f'Z_FOK_{column[1:]}' if value.get('NSIsOrdered') else 'Z_PK'
        found = self.rows(f'SELECT Z_PK FROM {table} WHERE {column} = ? ORDER BY {order}, Z_PK', (key,))
        return [self.target(entity, k) for (k,) in found]

    # ---- values ----

    def external(self, blob):
        if blob[:1] == b'\x01':
            return blob[1:]
        if blob[:1] != b'\x02':
            return blob
        stem = os.path.splitext(os.path.basename(self.path))[0]
        name = blob[1:].split(b'\0')[0].decode()
        file = os.path.join(os.path.dirname(self.path), f'.{stem}_SUPPORT/_EXTERNAL_DATA', name)
        return open(file, 'rb').read() if os.path.exists(file) else None

    def text(self, value, code, flags):
        if value is not None and flags & 4:
            value = self.external(value)
        if value is None:
            return '-'
        if isinstance(value, bytes):
            # text_factory gives texts as bytes, too
            if code in BLOBS:
                return f'b{len(value)}:{zlib.crc32(value)}'
            return 't' + value.hex()
        if isinstance(value, float) or code in FLOATS:
            return 'r' + struct.pack('>d', float(value)).hex()
        return f'i{value}'

    def lines(self):
        for name in sorted(self.entities):
            if self.entities[name].get('NSIsAbstract') or self.table(name) not in self.tables:
                continue
            properties = sorted(self.properties(name).items())
            for (key,) in self.rows(f'SELECT Z_PK FROM {self.table(name)} WHERE Z_ENT = ? ORDER BY Z_PK',
                                    (self.number[name],)):
                for property, (value, owner) in properties:
                    if value.get('NSIsTransient'):
                        continue
                    if 'NSAttributeType' in value:
                        column = self.column(owner, property)
                        found = self.rows(f'SELECT {column} FROM {self.table(name)} WHERE Z_PK = ?', (key,))
                        shown = self.text(found[0][0], value['NSAttributeType'], value.get('NSFlagsKey') or 0)
                    elif '_NSDestinationEntityName' not in value:
                        continue
                    elif value.get('NSMaxCount') == 1:
                        target = self.target(value['_NSDestinationEntityName'], self.one(value, owner, key))
                        shown = f'o{target}' if target else '-'
                    else:
                        shown = 'm[' + ','.join(self.many(value, owner, key)) + ']'
                    yield f'{name}|{key}|{property}|{shown}'


if __name__ == '__main__':
    store = Store(sys.argv[1])
    try:
        for line in store.lines():
            print(line)
    finally:
        shutil.rmtree(store.folder)
