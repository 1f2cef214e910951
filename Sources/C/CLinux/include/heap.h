#ifndef NATTER_HEAP_H
#define NATTER_HEAP_H

/* Makes all threads share one heap. Otherwise each thread has its own and keeps its freed memory
   there, although threads seldom run at once. Called before the first thread starts. */
void natter_heap_share(void);

/* Returns unused memory to the system: freed heap memory, and pages of program text and libraries
   that can be read from their files again. Many of those pages serve only start-up and signing in,
   and would stay resident as long as the program runs. Takes some milliseconds; may be called from
   any thread. */
void natter_heap_give_back(void);
#endif
