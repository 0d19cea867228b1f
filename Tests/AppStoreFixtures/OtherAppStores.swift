/// An app's store with a spatial index: a virtual table that triggers maintain.
package enum SpatialAppStore {
    package static let modelText = """
        model: 1
        version: places-1
        entities:
          Place:
            attributes: { name: String, latitude: Double, longitude: Double }
            unique: [[name]]
            indexes:
              byName: [name desc]
              byPosition:
                - { property: latitude, collation: RTree }
                - { property: longitude, collation: RTree }
        """

    package static let sql =
        AppStoreFixture.bookkeeping + """
            CREATE TABLE ZPLACE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZLATITUDE FLOAT, ZLONGITUDE FLOAT, ZNAME VARCHAR );
            CREATE UNIQUE INDEX Z_Place_UNIQUE_name ON ZPLACE (ZNAME COLLATE BINARY ASC);
            CREATE INDEX Z_Place_byName ON ZPLACE (ZNAME COLLATE BINARY DESC);
            CREATE VIRTUAL TABLE Z_RT_Place_byPosition USING RTREE (Z_PK INTEGER PRIMARY KEY,
                ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT, ZLONGITUDE_MIN FLOAT,
                ZLONGITUDE_MAX FLOAT);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Place', 0, 3);
            INSERT INTO ZPLACE VALUES (1, 1, 1, 52.5, 13.25, 'Berlin'), (2, 1, 1, -33.75, 151.25, 'Sydney'),
                (3, 1, 1, NULL, NULL, 'Nowhere');
            INSERT INTO Z_RT_Place_byPosition VALUES (1, 52.5, 52.5, 13.25, 13.25),
                (2, -33.75, -33.75, 151.25, 151.25);
            CREATE TRIGGER Z_RT_Place_byPosition_INSERT AFTER INSERT ON ZPLACE FOR EACH ROW
                WHEN (NEW.ZLATITUDE NOT NULL AND NEW.ZLONGITUDE NOT NULL)
                BEGIN INSERT OR REPLACE INTO Z_RT_Place_byPosition VALUES (NEW.Z_PK, NEW.ZLATITUDE,
                    NEW.ZLATITUDE, NEW.ZLONGITUDE, NEW.ZLONGITUDE); END;
            CREATE TRIGGER Z_RT_Place_byPosition_UPDATE AFTER UPDATE OF ZLATITUDE, ZLONGITUDE ON ZPLACE
                FOR EACH ROW
                BEGIN DELETE FROM Z_RT_Place_byPosition WHERE Z_PK = NEW.Z_PK;
                INSERT INTO Z_RT_Place_byPosition SELECT NEW.Z_PK, NEW.ZLATITUDE, NEW.ZLATITUDE,
                    NEW.ZLONGITUDE, NEW.ZLONGITUDE
                    WHERE NEW.ZLATITUDE NOT NULL AND NEW.ZLONGITUDE NOT NULL; END;
            CREATE TRIGGER Z_RT_Place_byPosition_DELETE AFTER DELETE ON ZPLACE FOR EACH ROW
                BEGIN DELETE FROM Z_RT_Place_byPosition WHERE Z_PK = OLD.Z_PK; END;
            """
}

/// An app's store of 2016: uniqueness is a constraint of the table, and indexes have other names.
package enum EarlyAppStore {
    package static let modelText = """
        model: 1
        version: songs-1
        entities:
          Artist:
            attributes: { name: { type: String, optional: false } }
            relationships: { songs: { to: Song, many: true, inverse: artist, delete: cascade } }
            unique: [[name]]
          Song:
            attributes: { title: String, album: String, year: { type: Integer 16, default: 0 } }
            relationships: { artist: { to: Artist, inverse: songs } }
            unique: [[album, title]]
            indexes: { byYear: [year, title] }
        """

    package static let framework = 754

    package static let sql =
        AppStoreFixture.bookkeeping + """
            CREATE TABLE ZARTIST ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZNAME VARCHAR, CONSTRAINT ZNAME UNIQUE (ZNAME) );
            CREATE TABLE ZSONG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZYEAR INTEGER, ZARTIST INTEGER, ZALBUM VARCHAR, ZTITLE VARCHAR,
                CONSTRAINT ZALBUM_ZTITLE UNIQUE (ZALBUM, ZTITLE) );
            CREATE INDEX ZSONG_ZARTIST_INDEX ON ZSONG (ZARTIST);
            CREATE INDEX ZSONG_ZYEAR_ZTITLE ON ZSONG (ZYEAR, ZTITLE);
            CREATE INDEX ZSONG_ZALBUM_INDEX ON ZSONG (ZALBUM);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Artist', 0, 2), (2, 'Song', 0, 3);
            INSERT INTO ZARTIST VALUES (1, 1, 1, 'Nina'), (2, 1, 1, 'Bill');
            INSERT INTO ZSONG VALUES (1, 2, 1, 1958, 1, 'Little Girl Blue', 'Plain Gold Ring'),
                (2, 2, 1, 1958, 1, 'Little Girl Blue', 'Central Park Blues'),
                (3, 2, 3, 1961, 2, 'Waltz', 'My Foolish Heart');
            """
}
