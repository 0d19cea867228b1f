#pragma once

/// The number of allocations of the process so far; -1 if they are not counted.
long allocation_count(void);
