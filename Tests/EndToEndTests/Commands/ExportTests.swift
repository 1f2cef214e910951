import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

/// `natter export` of a database that another run has filled.
@Suite(.limitedConcurrency) struct ExportTests {
  let stored: StoredHome
  init() throws { stored = try StoredHome() }

  private var folder: TemporaryFolder { stored.home.folder }

  /// Exports into the file `name`.
  private func export(to name: String, _ arguments: String...) async throws -> CommandRun {
    try await stored.run(["export", "--output", folder.path("out/\(name)")] + arguments)
  }

  /// The files that exports have written, incomplete ones included.
  private var written: [String] {
    folder.files.filter { $0.hasPrefix("out/") }.map { String($0.dropFirst(4)) }
  }

  private static let objects = #"""
    {"id":"1","account":"me@natter.test","conversation":"bob@natter.test","kind":"direct",\#
    "from":"bob@natter.test","direction":"in","at":"2026-11-28T10:00:00.000000Z","body":"hello",\#
    "delayed":false,"origin_id":"o0"}
    {"id":"2","account":"me@natter.test","conversation":"bob@natter.test","kind":"direct",\#
    "from":"me@natter.test","direction":"out","at":"2026-11-28T10:01:00.000000Z","body":"yes",\#
    "delivery":"sent","delayed":false,"origin_id":"o60"}
    {"id":"3","account":"me@natter.test","conversation":"bob@natter.test","kind":"direct",\#
    "from":"bob@natter.test","direction":"in","at":"2026-11-28T10:01:30.000000Z",\#
    "body":"good tea","delayed":false,"origin_id":"o90"}
    """#

  @Test func `text and objects are printed, and written into files`() async throws {
    try await stored.fill()
    try folder.makeFolder("out")
    let before = try stored.state
    let text = try await stored.run("export", "--format", "text")
    #expect(
      text.text == """
        == Bob <bob@natter.test> ==
        2026-11-28 10:00:00 Bob  hello
        2026-11-28 10:01:00 you  yes
        2026-11-28 10:01:30 Bob  good tea

        == Tea room <tea@rooms.natter.test> ==
        2026-11-28 10:02:00 carol  me: \u{FFFD}[31mtea?
            or coffee
        2026-11-28 10:03:00 carol  green tea

        """)
    // A pipe or a file gets objects.
    let objects = try await stored.run("export", "bob@natter.test")
    #expect(objects.status == .exited(0) && objects.errorText == "", "\(objects.errorText)")
    let lines = objects.text.split(separator: "\n").map(String.init)
    #expect(
      lines.first?.hasPrefix(#"{"natter-export":1,"account":"me@natter.test","at":"20"#) == true)
    #expect(lines.dropFirst().joined(separator: "\n") == Self.objects)
    #expect(try stored.state == before)

    let file = try await export(to: "a.jsonl", "bob@natter.test", "--until", "2026-11-28T10:01:00Z")
    #expect(file.status == .exited(0) && file.text == "" && file.errorText == "")
    #expect(folder.text("out/a.jsonl")?.split(separator: "\n").count == 2)
    #expect(try await export(to: "b.txt").status == .exited(0))
    #expect(folder.text("out/b.txt") == text.text)
    #expect(written == ["a.jsonl", "b.txt"])
    var information = stat()
    #expect(
      stat(folder.path("out/b.txt"), &information) == 0 && information.st_mode & 0o777 == 0o600)
  }

  @Test func `a page has the messages, and nothing that a browser would run or load`() async throws
  {
    try await stored.fill()
    try await stored.fill { account in
      _ = try await account.messages.insert(
        [stored.message("<script>alert(1)</script> https://x.test/", at: 95)],
        countsUnread: { _ in false })
    }
    try folder.makeFolder("out")
    #expect(try await export(to: "a.html").status == .exited(0))
    let html = try #require(folder.text("out/a.html"))
    #expect(html.contains("<div class=\"body\" dir=\"auto\">good tea</div>"))
    #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt; <a href=\"https://x.test/\""))
    #expect(html.contains("<h3>Saturday 28 November 2026</h3>"))
    #expect(!html.contains("<script") && !html.contains("src=") && html.hasSuffix("</html>\n"))
  }

  @Test func `an archive has the whole account, without secrets, beside an open database`()
    async throws
  {
    try await stored.fill()
    try folder.write("a picture", to: "downloads/a.png")
    let download = FileTransfer(
      id: .init(0), direction: .download, conversation: StoredHome.bob,
      path: folder.path("downloads/a.png"), name: "a.png", state: .done, begun: StoredHome.start)
    try folder.makeFolder("out")
    let account = try await AccountDatabase.open(at: stored.database)
    _ = try await account.transfers.add(download)
    let run = try await export(to: "a.tar", "--files")
    #expect(run.status == .exited(0) && run.errorText == "", "\(run.errorText)")
    await account.close()
    #expect(written == ["a.tar"])
    let script = """
      import hashlib, json, sys, tarfile
      with tarfile.open(sys.argv[1]) as tar: tar.extractall(sys.argv[2])
      with tarfile.open(sys.argv[1]) as tar: names = tar.getnames()
      read = lambda name: open(sys.argv[2] + '/' + name, 'rb').read()
      manifest = json.loads(read('manifest.json'))
      assert manifest['natter-archive'] == 1 and manifest['account'] == 'me@natter.test'
      for name, digest in manifest['parts'].items():
          assert hashlib.sha256(read(name)).hexdigest() == digest, name
      assert read(names[3]) == b'a picture' and names[3] == 'files/' + hashlib.sha256(
          b'a picture').hexdigest()
      assert len(read('messages.jsonl').splitlines()) == 6
      assert b'a secret' not in open(sys.argv[1], 'rb').read()
      print(' '.join(names[:3]), len(names))
      """
    let read = try await CommandRun.check(
      "python3", ["-c", script, folder.path("out/a.tar"), folder.path("unpacked")])
    #expect(read.text == "manifest.json store.db messages.jsonl 4\n")
    let copy = try #require(
      try await AccountDatabase.openReading(at: folder.path("unpacked/store.db")))
    let messages = try await copy.timeline.latest(10, in: StoredHome.bob)
    #expect(messages.map(\.body) == ["hello", "yes", "good tea"])
    await copy.close()
  }

  @Test func `an existing file is kept without --force, and a full disk leaves none`() async throws
  {
    try await stored.fill { account in
      let body = String(repeating: "x", count: 500)
      _ = try await account.messages.insert(
        (0..<400).map { stored.message(body, at: Double($0)) }, countsUnread: { _ in false })
    }
    try folder.write("old", to: "out/a.txt")
    let refused = try await export(to: "a.txt")
    #expect(refused.status == .exited(2) && refused.errorText.contains("--force"))
    #expect(folder.text("out/a.txt") == "old")
    for name in ["a.txt", "a.tar"] {
      let limited = try await CommandRun(
        "bash",
        [
          "-c", "ulimit -S -f 64; exec \"$0\" \"$@\"", Programs.natter, "export", "--force",
          "--output", folder.path("out/\(name)"),
        ], environment: stored.home.environment())
      #expect(limited.status == .exited(1), "\(limited.errorText)")
      #expect(limited.errorText.contains("is full"), "\(limited.errorText)")
      // By the name that the user gave.
      #expect(!limited.errorText.contains("-part"), "\(limited.errorText)")
      #expect(written == ["a.txt"] && folder.text("out/a.txt") == "old")
    }
    #expect(try await export(to: "a.txt", "--force").status == .exited(0))
    #expect(folder.text("out/a.txt")?.split(separator: "\n").count == 400)
  }

  @Test func `a signal ends it without a file, and a reader that goes away with 0`() async throws {
    try await stored.fill { account in
      let body = String(repeating: "x", count: 500)
      _ = try await account.messages.insert(
        (0..<5_000).map { stored.message(body, at: Double($0)) }, countsUnread: { _ in false })
    }
    try folder.makeFolder("out")
    let shell = try await CommandRun(
      "bash",
      ["-c", "\"$@\" | head -n 1; echo \"${PIPESTATUS[0]}\"", "bash", Programs.natter, "export"],
      environment: stored.home.environment())
    #expect(shell.text.hasSuffix("\n0\n") && shell.errorText == "", "\(shell.errorText)")
    let path = folder.path("out/a.html")
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    // The signal may come before the program handles it, or after the file is whole. It is started
    // again then.
    for _ in 0..<20 {
      let child = try ChildProcess(
        Programs.natter, ["export", "--output", path],
        environment: stored.home.environment(), descriptors: (null, null, null))
      let hasBegun = try await polls { !written.isEmpty }
      #expect(hasBegun)
      child.signal(SIGINT)
      let end = await child.waitsForEnd(upTo: .seconds(60))
      guard end == .exited(0) || end == .signalled(SIGINT) else {
        #expect(end == .exited(130) && written == [])
        return
      }
      if end == .exited(0) {
        #expect(folder.text("out/a.html")?.hasSuffix("</html>\n") == true)
      }
      for name in written {
        try FileManager.default.removeItem(atPath: folder.path("out/\(name)"))
      }
    }
    Issue.record("no signal came while it was writing")
  }
}
