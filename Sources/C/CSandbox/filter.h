#ifndef NATTER_CSANDBOX_FILTER_H
#define NATTER_CSANDBOX_FILTER_H

#include <linux/filter.h>

struct natter_filter {
  struct sock_filter code[512];
  unsigned short length;
};

/* Makes the filter of system calls.
   `self`: the only process that can get signals; 0: any that it sees.
   `landlock`: the version of Landlock's interface that is applied; 0: other means keep it from
   files. */
void natter_filter_make(struct natter_filter *filter, int self, int landlock, int has_network);

#endif
