#ifndef NATTER_CSANDBOX_FILTER_H
#define NATTER_CSANDBOX_FILTER_H

#include <linux/filter.h>

/* The most instructions. */
#ifndef NATTER_FILTER_SIZE
#define NATTER_FILTER_SIZE 512
#endif

struct natter_filter {
  struct sock_filter code[NATTER_FILTER_SIZE];
  /* 0: there is none for this architecture, or it would not be complete. */
  unsigned short length;
  /* Not 0: an instruction had no room, or a jump is too far. */
  int is_incomplete;
};

/* Makes the filter of system calls.
   `self`: the only process that can get signals where Landlock does not confine them; 0: any that
   it sees.
   `landlock`: the version of Landlock's interface that is applied; 0: other means keep it from
   files. */
void natter_filter_make(struct natter_filter *filter, int self, int landlock, int has_network);

#endif
