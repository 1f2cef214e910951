import Foundation
import Glibc
import Testing

@testable import Sockets

@Suite struct UnixSocketListenerTests {
  private let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  private func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  /// Runs `work` while every client gets back what it sends.
  private func serving(
    _ listener: UnixSocketListener, _ work: () async throws -> Void
  ) async throws {
    let running = Task { await listener.run { await echo($0) } }
    do { try await work() } catch {
      running.cancel()
      throw error
    }
    listener.close()
    await running.value
  }

  @Test func `a missing folder is made for its owner alone, and the socket, too`() async throws {
    let path = directory.file("folder/s")
    let listener = try UnixSocketListener(path: path)
    #expect(try mode(of: directory.file("folder")) == 0o700)
    #expect(try mode(of: path) == 0o600)
    try await serving(listener) {
      let client = try await PlainSocket.connect(path: path)
      try await client.send([1, 2, 3])
      #expect(try await receive(3, from: client) == [1, 2, 3])
    }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a folder that others may enter is refused, or closed if that is asked for`() throws {
    let folder = directory.file("folder")
    #expect(mkdir(folder, 0o700) == 0 && chmod(folder, 0o750) == 0)
    #expect(throws: UnixSocketListener.Failure.openFolder(folder)) {
      try UnixSocketListener(path: folder + "/s")
    }
    #expect(!FileManager.default.fileExists(atPath: folder + "/s"))
    let listener = try UnixSocketListener(path: folder + "/s", restrictsFolder: true)
    #expect(try mode(of: folder) == 0o700)
    listener.close()
  }

  @Test func `a folder that is a link or a file is refused`() throws {
    let (link, file) = (directory.file("link"), directory.file("file"))
    #expect(symlink(directory.path, link) == 0)
    try Data().write(to: URL(filePath: file))
    for folder in [link, file] {
      #expect(throws: UnixSocketListener.Failure.openFolder(folder)) {
        try UnixSocketListener(path: folder + "/s", restrictsFolder: true)
      }
    }
  }

  @Test func `a socket in use, a file in the way and a path that is too long are distinguished`()
    throws
  {
    let path = directory.file("s")
    let listener = try UnixSocketListener(path: path)
    #expect(throws: UnixSocketListener.Failure.inUse(path: path)) {
      try UnixSocketListener(path: path)
    }
    listener.close()
    let long = directory.file(String(repeating: "x", count: 107))
    #expect(throws: UnixSocketListener.Failure.system(path: long, errno: ENAMETOOLONG)) {
      try UnixSocketListener(path: long)
    }
  }

  @Test func `a file that has taken the name of a socket stays`() async throws {
    let path = directory.file("s")
    // The socket's file stays under another name: a new file could have its number otherwise.
    let listener = try UnixSocketListener(path: path)
    #expect(rename(path, directory.file("old")) == 0)
    try Data("the user's".utf8).write(to: URL(filePath: path))
    try await serving(listener) {}
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "the user's")
  }

  @Test func `a process of another user is disconnected`() async throws {
    let listener = try UnixSocketListener(path: directory.file("s"), user: geteuid() &+ 1)
    try await serving(listener) {
      let client = try await PlainSocket.connect(path: listener.path)
      #expect(try await client.receive() == nil)
    }
  }

  @Test func `two hundred clients are served, the next one only when another leaves`()
    async throws
  {
    let listener = try UnixSocketListener(path: directory.file("s"))
    try await serving(listener) {
      var clients: [PlainSocket] = []
      for number in 0..<UnixSocketListener.maximumClients {
        let client = try await PlainSocket.connect(path: listener.path)
        try await client.send([UInt8(number)])
        clients.append(client)
      }
      for (number, client) in clients.enumerated() {
        #expect(try await receive(1, from: client) == [UInt8(number)])
      }
      let late = try await PlainSocket.connect(path: listener.path)
      #expect(try await late.receive() == nil)
      clients.removeFirst().close()
      // There is room when the end of the first one was noticed.
      var isServed = false
      while !isServed {
        let next = try await PlainSocket.connect(path: listener.path)
        do {
          try await next.send([7])
          isServed = try await next.receive() == [7]
        } catch { isServed = false }
      }
      for client in clients { client.close() }
    }
  }

  @Test func `closing ends the clients that are served`() async throws {
    let listener = try UnixSocketListener(path: directory.file("s"))
    let running = Task { await listener.run { await echo($0) } }
    let client = try await PlainSocket.connect(path: listener.path)
    try await client.send([1])
    #expect(try await client.receive() == [1])
    listener.close()
    await running.value
    #expect(try await client.receive() == nil)
  }
}

@Suite struct DescriptorStreamTests {
  private func pipeEnds() throws -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test func `pipes are read and written without changing their modes`() async throws {
    let (input, output) = (try pipeEnds(), try pipeEnds())
    defer { for end in [input.read, output.read, output.write] { close(end) } }
    let stream = DescriptorStream(input: input.read, output: output.write)
    async let received = stream.receive()
    #expect(write(input.write, "abc", 3) == 3)
    #expect(try await received == Array("abc".utf8))
    close(input.write)
    #expect(try await stream.receive() == nil)
    // More than a pipe holds.
    let sent = pattern(300_000)
    let copy = DescriptorStream(input: output.read, output: output.write)
    async let written: Void = stream.send(sent)
    #expect(try await receive(sent.count, from: copy) == sent)
    try await written
    #expect(fcntl(input.read, F_GETFL) & O_NONBLOCK == 0)
    #expect(fcntl(output.write, F_GETFL) & O_NONBLOCK == 0)
    stream.close()
    // The descriptors are not closed with it.
    #expect(fcntl(output.write, F_GETFD) >= 0)
  }

  @Test func `files and the null device need no waiting`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("f")
    let file = open(path, O_RDWR | O_CREAT, 0o600)
    let null = open("/dev/null", O_RDWR)
    defer { for descriptor in [file, null] { close(descriptor) } }
    let stream = DescriptorStream(input: null, output: file)
    #expect(try await stream.receive() == nil)
    try await stream.send(Array("line\n".utf8))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "line\n")
    stream.close()
  }

  @Test func `a reader that has gone is an error of the next write`() async throws {
    signal(SIGPIPE, SIG_IGN)
    let output = try pipeEnds()
    defer { close(output.write) }
    close(output.read)
    let null = open("/dev/null", O_RDWR)
    defer { close(null) }
    let stream = DescriptorStream(input: null, output: output.write)
    var error: SocketError?
    // A program that another test starts at this moment has the reader open, too, until it runs.
    while error == nil {
      error = await failure { () async throws(SocketError) in try await stream.send([1]) }
    }
    #expect(error == .closed)
    stream.close()
  }
}
