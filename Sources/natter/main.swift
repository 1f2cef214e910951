import CWorkers
import Glibc

natter_workers_share_heap()
natter_workers_adopt()
// A write to a reader that has gone is an error to be handled, not the end of the program.
signal(SIGPIPE, SIG_IGN)
// A file that may grow no further (ulimit -f) is a full disk, which is told, and not the end either.
signal(SIGXFSZ, SIG_IGN)
exit(await Program.run(ProgramArguments.words))
