#ifndef NATTER_CHEAP_H
#define NATTER_CHEAP_H

/* Has all threads use one heap. Each would have its own, and keep there what it has freed, though they seldom run at once.
   To be called before the first thread begins. */
void natter_heap_share(void);
#endif
