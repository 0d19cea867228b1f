#include <sqlite3.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Without it, SQLite takes a lock for every piece of memory, to keep account of them all. To be
// called before anything else of SQLite.
static inline int etl_skip_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// Forbids or allows statements that change the table of the schema, and returns whether they were
// forbidden. In Apple's SQLite, they are at first.
static inline int etl_set_defensive(sqlite3 *connection, int is_on) {
    int before = 0;
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, -1, &before);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, is_on, (int *)0);
    return before;
}

// Returns whether no other connection has opened the database, which must be in WAL mode: there, each
// connection holds a shared lock on the file until it is closed. SQLite finds out in the same way
// whether to remove the WAL. In another mode, this would give up the lock of a transaction.
static inline int etl_is_only_connection(sqlite3 *connection) {
    sqlite3_file *file = 0;
    int found = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (found != SQLITE_OK || !file || !file->pMethods) return 0;
    int locked = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE);
    int shared = file->pMethods->xUnlock(file, SQLITE_LOCK_SHARED);
    return locked == SQLITE_OK && shared == SQLITE_OK;
}

// Gives memory that was freed, but stays with the process between what is not, back to the system;
// only where the C library does not do so by itself.
static inline void etl_return_freed_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

// Has every large piece of memory given back to the system when it is freed. By itself the C library
// raises the size from which it does so with each one that is freed, up to 32 MiB, so that one large
// record would leave its memory with the process. What is smaller stays, up to 4 MiB at the end.
static inline void etl_return_large_memory(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

// A virtual table of pairs of numbers, and a place among them; see PairTable.swift.
typedef struct {
    sqlite3_vtab base;
    const unsigned long long *first;
    sqlite3_int64 count;
} etl_pair_table;

typedef struct {
    sqlite3_vtab_cursor base;
    sqlite3_int64 place;
} etl_pair_cursor;
