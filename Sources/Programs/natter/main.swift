import CLinux
import Configuration
import Glibc
import System

// Before anything is set up that the program of a script would inherit.
if ProgramArguments.words.first == LauncherArguments.option {
  _exit(
    ScriptLaunch.run(Array(ProgramArguments.words.dropFirst()), ProgramArguments.environment))
}
natter_heap_share()
// If one of the three is closed, the next file that is opened would get its number.
for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
  _ = open("/dev/null", O_RDWR)
}
// A write to a closed pipe is an error to be handled, not the end of the program.
signal(SIGPIPE, SIG_IGN)
// A file at its size limit (ulimit -f) is treated as a full disk, which is reported, and does not
// end the program either.
signal(SIGXFSZ, SIG_IGN)
// The Swift runtime would stop and wait for questions; the program ends instead, as every other
// program does.
signal(SIGQUIT, SIG_DFL)
let status = await Program.run(ProgramArguments.words)
// A keyring program that waits for a password is no longer needed.
ProgramRun.endAll()
ScriptChild.endAll()
// Not `exit`: OpenSSL would be torn down while another thread still closes a connection with it.
// Nothing is buffered in stdio.
_exit(status)
