#include <sqlite3.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Gives memory that was freed, but stays with the process between what is not, back to the system;
// only where the C library does not do so by itself.
static inline void etl_return_freed_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}
