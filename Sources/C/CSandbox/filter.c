#define _GNU_SOURCE
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "CSandbox.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Bit of the calls of x32 programs, which run on the same architecture. */
#define X32 0x40000000
/* The last call whose effects are known; from 424 on the numbers are the same everywhere. */
#define NEWEST 467
#define REFUSED (SECCOMP_RET_ERRNO | EACCES)
#define ALLOWED SECCOMP_RET_ALLOW
#define OFFSET(member) offsetof(struct seccomp_data, member)
/* The lower and the upper half of an argument (little endian). */
#define LOW(n) (OFFSET(args) + 8 * (n))
#define HIGH(n) (LOW(n) + 4)

#define NAMESPACES                                                                         \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |           \
   CLONE_NEWPID | CLONE_NEWNET)

/* What leads out of the sandbox, out of the process group, or to other processes of the user; then
   what can be set for files without opening them, which Landlock does not see. Capabilities would
   be needed for many of them; a filter costs nothing. */
static const int refused[] = {
    /* Other processes, and the group. */
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_setsid, SYS_setpgid,
    SYS_migrate_pages, SYS_move_pages, 424 /* pidfd_send_signal */,
    434 /* pidfd_open */, 438 /* pidfd_getfd */, 440 /* process_madvise */,
    448 /* process_mrelease */,
    /* Objects that all processes of the user share. */
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop, SYS_semctl, SYS_semtimedop,
    SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink, SYS_keyctl,
    SYS_add_key, SYS_request_key,
    /* Namespaces and mounts. */
    SYS_unshare, SYS_setns, SYS_chroot, SYS_pivot_root, SYS_mount, SYS_umount2,
    428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */,
    432 /* fsmount */, 433 /* fspick */, 442 /* mount_setattr */, 457 /* statmount */,
    458 /* listmount */, 467 /* open_tree_attr */,
    /* Reports about files of others. */
    SYS_inotify_init1, SYS_inotify_add_watch, SYS_fanotify_init, SYS_fanotify_mark,
    SYS_name_to_handle_at, SYS_open_by_handle_at,
    /* The kernel. */
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, 425 /* io_uring_setup */,
    426 /* io_uring_enter */, 427 /* io_uring_register */, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct,
    SYS_quotactl, 443 /* quotactl_fd */, SYS_syslog, SYS_settimeofday, SYS_clock_settime,
    SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_vhangup,
    /* Rights and times by path. */
    SYS_fchmodat, 452 /* fchmodat2 */,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_chmod
    SYS_chmod, SYS_utime, SYS_utimes, SYS_futimesat, SYS_inotify_init,
#endif
#ifdef SYS_modify_ldt
    SYS_modify_ldt, SYS_iopl, SYS_ioperm,
#endif
};

/* As for users without capabilities: programs that copy files expect it. */
static const int forbidden[] = {
    SYS_fchown, SYS_fchownat,
#ifdef SYS_chown
    SYS_chown, SYS_lchown,
#endif
};

/* Programs that copy files and list folders do without these. */
static const int unsupported[] = {
    SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr,
    SYS_listxattr, SYS_llistxattr, SYS_flistxattr, SYS_removexattr, SYS_lremovexattr,
    SYS_fremovexattr, 463 /* setxattrat */, 464 /* getxattrat */, 465 /* listxattrat */,
    466 /* removexattrat */,
};

static void add(struct natter_filter *filter, int code, int yes, int no, unsigned value) {
  if (filter->length == NATTER_FILTER_SIZE) {
    filter->is_incomplete = 1;
    return;
  }
  filter->code[filter->length++] = (struct sock_filter){code, yes, no, value};
}

static void load(struct natter_filter *filter, unsigned offset) {
  add(filter, BPF_LD | BPF_W | BPF_ABS, 0, 0, offset);
}

static void result(struct natter_filter *filter, unsigned action) {
  add(filter, BPF_RET | BPF_K, 0, 0, action);
}

/* Ends with `action` if the loaded word is `value`. */
static void on(struct natter_filter *filter, unsigned value, unsigned action) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
  result(filter, action);
}

/* Begins the rules of one call; `end` ends them, with the action for the rest. The loaded word is
   the number of the call outside of rules. */
static unsigned short begin(struct natter_filter *filter, int call) {
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, call);
  return filter->length;
}

static void end(struct natter_filter *filter, unsigned short start, unsigned action) {
  result(filter, action);
  int distance = filter->length - start;
  if (distance > UINT8_MAX) filter->is_incomplete = 1;
  filter->code[start - 1].jf = (unsigned char)distance;
}

/* A call is allowed only for the process itself, whose number is an argument. */
static void only_self(
    struct natter_filter *filter, int call, int argument, int self, int allows_zero) {
  unsigned short rules = begin(filter, call);
  load(filter, LOW(argument));
  if (allows_zero) on(filter, 0, ALLOWED);
  if (self) on(filter, self, ALLOWED);
  end(filter, rules, REFUSED);
}

static void opening(struct natter_filter *filter, int call, int argument) {
  unsigned short rules = begin(filter, call);
  load(filter, LOW(argument));
  add(filter, BPF_ALU | BPF_AND | BPF_K, 0, 0, O_ACCMODE | O_TRUNC);
  /* A descriptor for neither reading nor writing, which Landlock does not see. */
  on(filter, O_ACCMODE, REFUSED);
  on(filter, O_ACCMODE | O_TRUNC, REFUSED);
  /* Landlock's first versions do not see that this changes the file. */
  on(filter, O_RDONLY | O_TRUNC, REFUSED);
  end(filter, rules, ALLOWED);
}

static void sockets(struct natter_filter *filter, int has_network) {
  unsigned short rules = begin(filter, SYS_socket);
  if (has_network) {
    load(filter, LOW(0));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 3, AF_NETLINK);
    /* The addresses of this computer, which the resolver asks for (NETLINK_ROUTE). */
    load(filter, LOW(2));
    on(filter, 0, ALLOWED);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, AF_INET);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AF_INET6);
    result(filter, REFUSED);
    load(filter, LOW(1));
    add(filter, BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xF);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, SOCK_STREAM);
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, SOCK_DGRAM);
    result(filter, REFUSED);
    /* TCP and UDP only. */
    load(filter, LOW(2));
    on(filter, 0, ALLOWED);
    on(filter, 6, ALLOWED);
    on(filter, 17, ALLOWED);
  }
  end(filter, rules, REFUSED);
  /* Streams to children. A pair of datagram sockets could be connected to other sockets. */
  rules = begin(filter, SYS_socketpair);
  load(filter, LOW(0));
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AF_UNIX);
  result(filter, REFUSED);
  load(filter, LOW(1));
  add(filter, BPF_ALU | BPF_AND | BPF_K, 0, 0, 0xF);
  on(filter, SOCK_STREAM, ALLOWED);
  end(filter, rules, REFUSED);
}

void natter_filter_make(struct natter_filter *filter, int self, int landlock, int has_network) {
  filter->length = 0;
  filter->is_incomplete = 0;
#ifdef ARCHITECTURE
  unsigned short rules;
  load(filter, OFFSET(arch));
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCHITECTURE);
  result(filter, SECCOMP_RET_KILL_PROCESS);
  load(filter, OFFSET(nr));
  add(filter, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32);
  result(filter, REFUSED);
  add(filter, BPF_JMP | BPF_JGT | BPF_K, 0, 1, NEWEST);
  result(filter, SECCOMP_RET_ERRNO | ENOSYS);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) on(filter, refused[i], REFUSED);
  for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
    on(filter, forbidden[i], SECCOMP_RET_ERRNO | EPERM);
  for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
    on(filter, unsupported[i], SECCOMP_RET_ERRNO | EOPNOTSUPP);
  /* Memory that belongs to no process is not counted as the script's. */
  on(filter, SYS_memfd_create, SECCOMP_RET_ERRNO | ENOSYS);
  on(filter, 447 /* memfd_secret */, SECCOMP_RET_ERRNO | ENOSYS);
  /* Their arguments are in memory, where a filter cannot look; programs use the older calls. */
  on(filter, 435 /* clone3 */, SECCOMP_RET_ERRNO | ENOSYS);
  on(filter, 437 /* openat2 */, SECCOMP_RET_ERRNO | ENOSYS);
  /* Without effect and without an error, which would end the copying of files; a file that is open
     for reading only must not be changed. */
  on(filter, SYS_fchmod, SECCOMP_RET_ERRNO | 0);
  /* Landlock sees it from its third version on. */
  if (landlock > 0 && landlock < 3) on(filter, SYS_truncate, REFUSED);

  /* From its sixth version on, Landlock lets signals reach the sandbox only: the children of the
     script, and nothing else. */
  if (landlock < 6) on(filter, SYS_tkill, REFUSED);
  if (self && landlock < 6) {
    only_self(filter, SYS_kill, 0, self, 0);
    only_self(filter, SYS_tgkill, 0, self, 0);
    only_self(filter, SYS_rt_sigqueueinfo, 0, self, 0);
    only_self(filter, SYS_rt_tgsigqueueinfo, 0, self, 0);
  }
  only_self(filter, SYS_prlimit64, 0, self, 1);
  only_self(filter, SYS_sched_setaffinity, 0, self, 1);
  only_self(filter, SYS_sched_setscheduler, 0, self, 1);
  only_self(filter, SYS_sched_setparam, 0, self, 1);
  only_self(filter, SYS_sched_setattr, 0, self, 1);
  /* PRIO_PROCESS and IOPRIO_WHO_PROCESS of the caller, never of a group or a user. */
  for (int i = 0; i < 2; i++) {
    rules = begin(filter, i == 0 ? SYS_setpriority : SYS_ioprio_set);
    load(filter, LOW(0));
    add(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, i);
    result(filter, REFUSED);
    load(filter, LOW(1));
    on(filter, 0, ALLOWED);
    end(filter, rules, REFUSED);
  }

  /* No namespaces, and no children of the parent. */
  rules = begin(filter, SYS_clone);
  load(filter, LOW(0));
  add(filter, BPF_JMP | BPF_JSET | BPF_K, 0, 1, NAMESPACES | CLONE_PARENT);
  result(filter, REFUSED);
  end(filter, rules, ALLOWED);

  rules = begin(filter, SYS_prctl);
  load(filter, LOW(0));
  on(filter, PR_SET_PDEATHSIG, REFUSED);
  end(filter, rules, ALLOWED);

  /* Signals to the owner of a descriptor go to any process of the user. */
  rules = begin(filter, SYS_fcntl);
  load(filter, LOW(1));
  on(filter, 8 /* F_SETOWN */, REFUSED);
  on(filter, 10 /* F_SETSIG */, REFUSED);
  on(filter, 15 /* F_SETOWN_EX */, REFUSED);
  on(filter, 1024 /* F_SETLEASE */, REFUSED);
  end(filter, rules, ALLOWED);
  rules = begin(filter, SYS_ioctl);
  load(filter, LOW(1));
  on(filter, 0x8901 /* FIOSETOWN */, REFUSED);
  on(filter, 0x8902 /* SIOCSPGRP */, REFUSED);
  on(filter, 0x5412 /* TIOCSTI */, REFUSED);
  on(filter, 0x541C /* TIOCLINUX */, REFUSED);
  on(filter, 0x40086602 /* FS_IOC_SETFLAGS */, REFUSED);
  on(filter, 0x401C5820 /* FS_IOC_FSSETXATTR */, REFUSED);
  end(filter, rules, ALLOWED);

  /* The times of an open file only: touch sets them so. */
  rules = begin(filter, SYS_utimensat);
  load(filter, LOW(1));
  add(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0);
  result(filter, REFUSED);
  load(filter, HIGH(1));
  on(filter, 0, ALLOWED);
  end(filter, rules, REFUSED);

  opening(filter, SYS_openat, 2);
#ifdef SYS_open
  opening(filter, SYS_open, 1);
#endif
  sockets(filter, has_network);
  result(filter, ALLOWED);
  if (filter->is_incomplete) filter->length = 0;
#else
  (void)self, (void)landlock, (void)has_network;
#endif
}
