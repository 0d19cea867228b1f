/// What mappings are for, with examples over the model `pipelines/task-model.yaml`.
extension SpecificationMapping {
    package var purpose: String {
        switch self {
        case .spec: "The whole file."
        case .parameter: "A value that is given when the spec runs; `--set` goes before all."
        case .store: "The store that the stages work on, an SQLite file as Core Data lays it out."
        case .template: "A store that is made as a copy of another."
        case .backups:
            """
            Before etl changes an app's store, or migrates a store, it keeps the old one as \
            `STORE.bak-v1`, `STORE.bak-v2`, and so on.
            """
        case .history: "Changes are kept in the store, for apps that follow them."
        case .budget: "How much is held before it is saved, and how long a run may take."
        case .rejects:
            """
            Rejects records that cannot be imported, with the reason, and continues with the others. All \
            faults of a record are told, except for what cannot be known of a refused record: links to \
            objects that other records of the import may make, links of the objects inside it, rules and \
            uniqueness of values that are refused themselves, and, without a key, rules and what a new \
            object would need.
            """
        case .report:
            """
            Each run tells what it did, in JSON and as a page. `index.html` in the folder lists the \
            runs.
            """
        case .onFailure: "A command that runs after a failed run, with environment variables."
        case .import:
            """
            Records of files become objects. If an object with the key exists, it is updated; \
            otherwise it is created. An invalid record is rejected, with the reason.

            An import has no merge conflicts, so the key `merge` is not allowed: each batch is \
            read and written in one transaction, and no other process can change its rows \
            meanwhile. `when-found` sets what happens to existing objects.
            """
        case .read: "The files, and what their bytes are."
        case .generate: "Records that come from no file."
        case .command:
            """
            The output of a command is read in one pass, like a pipe. A run that completes a \
            stopped run starts the command again and compares what was already read. `etl plan` \
            and `etl preview` also start it; `etl check` and `etl test` do not.
            """
        case .output:
            """
            A command that reads an export. It has all of the export when its input ends; if the run fails \
            or is stopped before that, etl ends the command first. If etl itself is killed, the command sees \
            the end of its input: let it check that the data is whole, as `gzip -t` does.
            """
        case .field: "Where a value comes from, and how it is converted before it is stored."
        case .keyField:
            """
            What fills an attribute by which an object is looked up: the keys of \
            [set.ATTRIBUTE](#setattribute) but `const`, and one of `from` and `expr` must be there.
            """
        case .keyLink:
            """
            A to-one relationship as a part of a key, such as the album of a track: \
            `by: { number: n, album: { by: { title: album } } }`. The record names the object that \
            the relationship leads to by that object's own key. If no object has that key, no object \
            has the outer key either, and `missing` applies. If several objects have it, the record \
            is rejected with the code `key`.
            """
        case .number: "How a number is written that JSON would not take."
        case .link: "Objects that are looked up by their key."
        case .nested: "Objects inside the record, which become objects of their own."
        case .mirror: "The store loses what the input no longer has."
        case .on:
            """
            What happens to a rejected record, for each code: `reject` writes it to the reject \
            files, `stop` stops the stage, and `null` sets only the value to null.
            """
        case .update: "Objects that match get new values."
        case .delete:
            "Objects that match go, and what the model's delete rules say becomes of others."
        case .export:
            """
            Objects become a file: one consistent snapshot, whole or not at all. Equal data \
            gives equal bytes.
            """
        case .verify: "Asks whether the store is as it should be; if not, the run ends with 65."
        case .test:
            """
            Shows what the spec does, without files and in memory: `etl test`. Paths in `params` \
            begin at the spec.
            """
        case .then: "What the store holds in the end, and what was refused."
        }
    }

    /// A stage as an item of `stages`, any other mapping under its key.
    package var example: String? {
        switch self {
        case .spec:
            """
            etl: 1
            store: { at: tasks.sqlite, model: task-model.yaml, open: create }
            stages:
              - import: tasks.ndjson.gz
                into: Task
              - export: Task
                to: out/tasks.csv
            """
        case .parameter:
            """
            params:
              inbox:  { type: path, default: ./in }
              cutoff: { type: date, default: today - 90d }
              token:  { type: secret, from: ["file:/run/secrets/tasks", "env:TASKS_TOKEN"] }
            """
        case .store:
            """
            store: { at: tasks.sqlite, model: task-model.yaml, open: create, commit: run }
            """
        case .import:
            """
              - import: tasks
                read: { files: "in/tasks-*.ndjson.gz", once: true }
                into: Task
                key: id
                keep-if: "status != 'draft'"
                set:
                  title:       { from: subject, clean: [trim], need: true }
                  isCompleted: { from: status, map: { done: true, open: false } }
                  dueOn:       { from: due, date: dd.MM.yyyy }
                link:
                  category: { by: { name: category.name } }
                  tags:     { by: { name: "tags[*]" }, missing: create }
                  subtasks: { each: "steps[*]", key: id }
                on: { cast: stop }
            """
        case .update:
            """
              - update: escalate
                entity: Task
                where: "isCompleted == NO AND dueOn < $today AND priority < 2"
                set: { priority: "priority + 1" }
                at-most: 10%
            """
        case .delete:
            """
              - delete: Task
                where: "isCompleted == YES AND completedAt < $today"
                at-most: 50000
            """
        case .export:
            """
              - export: open-tasks
                entity: Task
                where: "isCompleted == NO"
                fields: [id, title, category.name, tags.name]
                order: [priority desc, title nocase]
                to: "out/open-${run.date}.csv.gz"
            """
        case .verify:
            """
              - verify: sane
                expect:
                  Task: ">= 1"
                  Task where isCompleted == YES AND completedAt == nil: 0
            """
        case .test:
            """
            tests:
              - name: a task without a title is refused
                given: { Task: [{ title: One }] }
                then: { Task: [{ title: One }], rejects: [] }
            """
        default: nil
        }
    }
}
