import Foundation
import TestSupport

/// A program that tries what a script must not be able to do, itself and in a child, and prints an
/// outcome a line. No attempt does harm where it succeeds.
enum SandboxProbe {
  /// Compiles it.
  static func compile(in folder: TemporaryFolder, as name: String) async throws {
    try folder.write(text, to: "probe.c")
    try await CommandRun.check("cc", ["-w", "-o", folder.path(name), folder.path("probe.c")])
  }

  /// The attempts that are refused (EACCES) with and without a network.
  static let refused = [
    "read-passwd", "read-home", "list-home", "write-home", "ioctl-only", "truncate-open",
    "truncate", "chmod", "utimes", "rename", "unlink", "write-tmp", "write-folder",
    "follow-link", "read-environment", "read-memory", "terminal", "terminal-ioctl", "watch",
    "pidfd", "pidfd-signal", "prlimit", "priority", "priority-process", "affinity", "owner",
    "owner-signal",
    "owner-ioctl", "ptrace", "vm-read", "setsid", "setpgid", "death-signal", "unshare",
    "clone-user", "clone-parent", "mount", "chroot", "bpf", "io-uring", "keyctl", "perf",
    "userfaultfd", "shm", "mq", "inject-key", "pair-datagram", "unix", "packet", "raw",
    "netlink-other",
  ]
  /// The outcomes of signals.
  /// - Parameter isScoped: whether the kernel confines them to the sandbox.
  static func signals(isScoped: Bool) -> [String: String] {
    let others = isScoped ? "EPERM" : "EACCES"
    // To the group and to all: they reach what is in the sandbox.
    let several = isScoped ? "ok" : "EACCES"
    return [
      "kill": others, "tkill": others, "tgkill": others, "sigqueue": others,
      "kill-group": several, "kill-all": several,
    ]
  }
  /// Other outcomes of attempts.
  static let others = [
    "setxattr": "EOPNOTSUPP", "getxattr": "EOPNOTSUPP", "clone3": "ENOSYS",
    "openat2": "ENOSYS", "newer": "ENOSYS", "memfd": "ENOSYS", "read-folder": "ok",
    "write-storage": "ok", "pair": "ok",
  ]
  /// What the program finds about itself.
  static let own = [
    "descriptors": "0", "leads-group": "1", "files": "128", "file-size": "67108864",
    "core": "0", "mask": "77", "death": "9", "no-new-privileges": "1", "kill-self": "ok",
    "own-limits": "ok", "own-priority": "ok", "fchmod": "ok", "mode": "600", "touch": "ok",
    "fork": "ok",
  ]

  private static let text = #"""
    #define _GNU_SOURCE
    #include <arpa/inet.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <mqueue.h>
    #include <sched.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/inotify.h>
    #include <sys/ioctl.h>
    #include <sys/prctl.h>
    #include <sys/ptrace.h>
    #include <sys/resource.h>
    #include <sys/shm.h>
    #include <sys/socket.h>
    #include <sys/stat.h>
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <sys/uio.h>
    #include <sys/un.h>
    #include <sys/wait.h>
    #include <sys/xattr.h>
    #include <unistd.h>

    static const char *who;

    static void said(const char *name, long result) {
      int code = errno;
      const char *word = result >= 0 ? "ok"
                         : code == EACCES ? "EACCES"
                         : code == EPERM  ? "EPERM"
                         : code == ENOSYS ? "ENOSYS"
                         : code == EOPNOTSUPP ? "EOPNOTSUPP"
                                              : strerror(code);
      printf("%s%s %s\n", who, name, word);
      fflush(stdout);
    }

    static void clones(const char *name, int flags) {
      long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
      if (child == 0) _exit(0);
      said(name, child);
    }

    static void tries(char **v, pid_t other) {
      char path[4096], secret[4096];
      snprintf(secret, sizeof secret, "%s/secret", v[1]);
      said("read-passwd", open("/etc/passwd", O_RDONLY));
      said("read-home", open(secret, O_RDONLY));
      said("list-home", open(v[1], O_RDONLY | O_DIRECTORY));
      said("write-home", open(secret, O_WRONLY));
      said("ioctl-only", open(secret, O_ACCMODE));
      said("truncate-open", open(secret, O_RDONLY | O_TRUNC));
      said("truncate", truncate(secret, 0));
      said("chmod", chmod(secret, 0644));
      said("utimes", utimes(secret, NULL));
      said("setxattr", setxattr(secret, "user.a", "b", 1, 0));
      said("getxattr", getxattr(secret, "user.a", path, 1));
      said("link", link(secret, "linked"));
      said("rename", rename(secret, "renamed"));
      said("unlink", unlink(secret));
      said("write-tmp", open("/tmp", O_TMPFILE | O_RDWR, 0600));
      snprintf(path, sizeof path, "%s/manifest.toml", v[2]);
      said("read-folder", open(path, O_RDONLY));
      said("write-folder", open(path, O_WRONLY));
      said("write-storage", open("mine", O_WRONLY | O_CREAT, 0600));
      symlink(secret, "symlink");
      said("follow-link", open("symlink", O_RDONLY));
      snprintf(path, sizeof path, "/proc/%d/environ", other);
      said("read-environment", open(path, O_RDONLY));
      snprintf(path, sizeof path, "/proc/%d/mem", other);
      said("read-memory", open(path, O_RDWR));
      said("terminal", open("/dev/tty", O_RDWR));
      said("terminal-ioctl", open("/dev/tty", O_ACCMODE));
      said("watch", syscall(SYS_inotify_add_watch, 0, v[1], IN_ALL_EVENTS));

      struct rlimit limit;
      cpu_set_t processors;
      struct iovec memory = {path, 1};
      sched_getaffinity(0, sizeof processors, &processors);
      siginfo_t facts = {.si_signo = 0, .si_code = SI_QUEUE};
      said("kill", kill(other, 0));
      said("kill-group", kill(0, 0));
      said("kill-all", kill(-1, 0));
      said("tkill", syscall(SYS_tkill, other, 0));
      said("tgkill", syscall(SYS_tgkill, other, other, 0));
      said("sigqueue", syscall(SYS_rt_sigqueueinfo, other, 0, &facts));
      said("pidfd", syscall(434, other, 0));
      said("pidfd-signal", syscall(424, 0, 0, 0, 0));
      said("prlimit", prlimit(other, RLIMIT_CORE, NULL, &limit));
      said("priority", setpriority(PRIO_USER, 54321, 19));
      said("priority-process", setpriority(PRIO_PROCESS, other, 0));
      said("affinity", sched_setaffinity(other, sizeof processors, &processors));
      said("owner", fcntl(0, F_SETOWN, other));
      said("owner-signal", fcntl(0, F_SETSIG, SIGKILL));
      said("owner-ioctl", ioctl(0, 0x8901, &other));
      said("ptrace", ptrace(PTRACE_ATTACH, -1, 0, 0));
      said("vm-read", process_vm_readv(other, &memory, 1, &memory, 1, 0));
      said("setsid", setsid());
      said("setpgid", setpgid(0, 0));
      said("death-signal", prctl(PR_SET_PDEATHSIG, 0));

      said("unshare", unshare(CLONE_NEWUSER));
      clones("clone-user", CLONE_NEWUSER);
      clones("clone-parent", CLONE_PARENT);
      said("clone3", syscall(435, 0, 0));
      said("openat2", syscall(437, 0, 0, 0, 0));
      said("newer", syscall(999, 0));
      said("mount", syscall(SYS_mount, "none", "/nonexistent", "tmpfs", 0, 0));
      said("chroot", chroot("/nonexistent"));
      said("bpf", syscall(SYS_bpf, 0, 0, 0));
      said("io-uring", syscall(425, 1, 0));
      said("keyctl", syscall(SYS_keyctl, 0, 0));
      said("memfd", syscall(SYS_memfd_create, "m", 0));
      said("perf", syscall(SYS_perf_event_open, 0, 0, 0, 0, 0));
      said("userfaultfd", syscall(SYS_userfaultfd, 0));
      said("shm", shmget(54321, 4096, 0));
      said("mq", syscall(SYS_mq_open, "natter", O_RDONLY, 0, 0));
      said("inject-key", ioctl(0, TIOCSTI, "x"));
    #ifdef __x86_64__
      said("x32", syscall(0x40000000 | SYS_getpid));
    #endif

      int pair[2];
      said("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
      said("pair-datagram", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
      said("unix", socket(AF_UNIX, SOCK_STREAM, 0));
      said("packet", socket(AF_PACKET, SOCK_RAW, 0));
      said("raw", socket(AF_INET, SOCK_RAW, 1));
      said("netlink-other", socket(AF_NETLINK, SOCK_RAW, 15));
      said("udp", socket(AF_INET6, SOCK_DGRAM, 0));
      int tcp = socket(AF_INET, SOCK_STREAM, 0);
      said("tcp", tcp);
      struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(v[3]))};
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      said("connect", connect(tcp, (struct sockaddr *)&address, sizeof address));
    }

    int main(int c, char **v) {
      if (c < 4) return 2;
      struct rlimit limit;
      who = "";
      int open_ones = 0;
      for (int i = 3; i < 1024; i++) open_ones += fcntl(i, F_GETFD) >= 0;
      printf("descriptors %d\n", open_ones);
      printf("leads-group %d\n", getpgrp() == getpid());
      getrlimit(RLIMIT_NOFILE, &limit);
      printf("files %ld\n", (long)limit.rlim_max);
      getrlimit(RLIMIT_FSIZE, &limit);
      printf("file-size %ld\n", (long)limit.rlim_max);
      getrlimit(RLIMIT_CORE, &limit);
      printf("core %ld\n", (long)limit.rlim_max);
      mode_t mask = umask(077);
      printf("mask %o\n", mask);
      int death = 0;
      prctl(PR_GET_PDEATHSIG, &death);
      printf("death %d\n", death);
      printf("no-new-privileges %d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
      said("kill-self", kill(getpid(), 0));
      said("own-limits", getrlimit(RLIMIT_CPU, &limit));
      said("own-priority", setpriority(PRIO_PROCESS, 0, 1));
      int own = open("mine", O_RDWR | O_CREAT, 0600);
      said("fchmod", fchmod(own, 0644));
      struct stat facts;
      fstat(own, &facts);
      printf("mode %o\n", facts.st_mode & 0777);
      said("touch", futimens(own, NULL));
      pid_t other = getppid();
      tries(v, other);
      pid_t child = fork();
      if (child == 0) {
        who = "child:";
        tries(v, other);
        _exit(0);
      }
      said("fork", child);
      waitpid(child, NULL, 0);
      printf("landlock %ld\n", syscall(444, NULL, 0, 1));
      child = fork();
      if (child == 0) {
        for (;;) pause();
      }
      int killed = kill(child, SIGKILL);
      said("kill-child", killed);
      /* Where it is not killed, it ends with the group. */
      if (killed == 0) waitpid(child, NULL, 0);
    }
    """#
}
