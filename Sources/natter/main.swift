import CHeap
import Configuration
import Glibc

natter_heap_share()
// Where one of the three is closed, the next file that is opened would be taken for it.
for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
  _ = open("/dev/null", O_RDWR)
}
// A write to a reader that has gone is an error to be handled, not the end of the program.
signal(SIGPIPE, SIG_IGN)
// A file that may grow no further (ulimit -f) is a full disk, which is told, and not the end either.
signal(SIGXFSZ, SIG_IGN)
// The Swift runtime would stop for questions: it ends, as with every other program.
signal(SIGQUIT, SIG_DFL)
let status = await Program.run(ProgramArguments.words)
// A keyring that waits for its owner's password need not ask on.
ProgramRun.endAll()
// Not `exit`: OpenSSL would be taken down while another thread still ends a connection with it. Nothing is written by stdio.
_exit(status)
