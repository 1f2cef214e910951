import Glibc
import System
import Testing

@Suite struct OwnPipeTests {
  @Test func `no program inherits either end of a pipe`() throws {
    let pipe = try OwnPipe()
    for end in [pipe.read, pipe.write] {
      #expect(fcntl(end, F_GETFD) == FD_CLOEXEC)
      close(end)
    }
  }
}
