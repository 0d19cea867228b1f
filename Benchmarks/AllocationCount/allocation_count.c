// Counts every memory allocation, of Swift's runtime, SQLite, and zlib, by interposing the C library's
// functions. The returned memory is freed by the library's own `free`.
#include "allocation_count.h"

#include <errno.h>
#include <stddef.h>

#ifdef __GLIBC__
static long count;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void note(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    note();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = memalign(alignment, size);
    if (made == NULL) return ENOMEM;
    *block = made;
    return 0;
}

long allocation_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }
#else
long allocation_count(void) { return -1; }
#endif
