#ifndef NATTER_CSANDBOX_H
#define NATTER_CSANDBOX_H

/* Confines programs of scripts by Landlock and seccomp (interface.md, "Scripts"). */

/* Returns the version of Landlock's interface in the running kernel; 0: it has none. */
int natter_sandbox_landlock(void);

#endif
