// An entry point of Swift's runtime (swift/Runtime/HeapObject.h) that the language offers only by
// way of weak references: retains an object, or gives NULL where its deinit has begun.
extern void *swift_tryRetain(void *object);

static inline void *etl_try_retain(void *object) {
    return swift_tryRetain(object);
}
