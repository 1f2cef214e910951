#include "CHeap.h"

#include <malloc.h>

void natter_heap_share(void) { mallopt(M_ARENA_MAX, 1); }
