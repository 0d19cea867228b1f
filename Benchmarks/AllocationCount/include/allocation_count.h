#pragma once

/// How often the process has asked for memory so far; -1 where nobody counts.
long allocation_count(void);
