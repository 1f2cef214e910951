import Foundation
import TestSupport
import Testing

extension Conversations {
  /// The user's actions on a received file: viewing it with another program, saving it on a disk
  /// that fills up.
  @Suite struct ReceivedFileTests {
    private let home: Home
    private let folder: TemporaryFolder

    init() throws {
      home = try Home()
      folder = try TemporaryFolder("shared")
    }

    private func configure(_ lines: String...) throws {
      try home.folder.write(
        (["[files]"] + lines).joined(separator: "\n") + "\n", to: "config/natter/config.toml")
    }

    private func natter(_ account: TestAccount, _ environment: [String: String] = [:]) throws
      -> NatterRun
    {
      try NatterRun.account(
        account.jid, account.password, on: account.server, home: home, environment: environment)
    }

    /// Offers a file under a name, as other clients do (XEP-0447).
    private func offer(
      _ bytes: [UInt8], named name: String, from peer: SlixmppPeer, to account: TestAccount
    ) async throws {
      try Data(bytes).write(to: folder.url("file.bin"))
      let url = try await peer.upload(folder.path("file.bin"), type: "text/plain")
      try await offer(url, of: bytes.count, named: name, from: peer, to: account)
    }

    private func offer(
      _ url: String, of count: Int, named name: String, from peer: SlixmppPeer,
      to account: TestAccount
    ) async throws {
      try await peer.send(
        xml: """
          <message to='\(account.jid)' type='chat' id='f1'><body>\(url)</body>\
          <file-sharing xmlns='urn:xmpp:sfs:0' disposition='inline'>\
          <file xmlns='urn:xmpp:file:metadata:0'><name>\(name)</name>\
          <size>\(count)</size></file><sources>\
          <url-data xmlns='http://jabber.org/protocol/url-data' target='\(url)'/></sources>\
          </file-sharing><x xmlns='jabber:x:oob'><url>\(url)</url></x></message>
          """)
    }

    @Test(arguments: [true, false])
    func `a file that came is opened by the program that is set, or by the desktop's`(isSet: Bool)
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let kept = try home.folder.makeFolder("kept").path
      // It writes its arguments into a pipe, whose reader waits for them.
      let note = home.folder.path("note")
      mkfifo(note, 0o600)
      try home.folder.write(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" >'\(note)'\n",
        to: isSet ? "bin/viewer" : "bin/xdg-open", mode: 0o700)
      if isSet {
        try configure(
          "folder = \"\(kept)\"",
          "open_command = [\"\(home.folder.path("bin/viewer"))\", \"--big\", \"a b\"]")
      } else {
        try configure("folder = \"\(kept)\"")
      }
      let natter = try natter(
        alice, ["PATH": home.folder.path("bin") + ":" + Programs.searchPath])
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let name = "rose $(touch pwned); 'x' ü.txt"
      let bytes = Array("roses are red\n".utf8)
      try await offer(bytes, named: name, from: peer, to: alice)
      try await natter.shows("rose $(touch")
      async let given = CommandRun.check("cat", [note])
      try await natter.say("/open")
      let words = try await given.text.split(separator: "\n").map(String.init)
      let path = kept + "/" + name
      #expect(words == (isSet ? ["--big", "a b", path] : [path]))
      #expect(try [UInt8](Data(contentsOf: URL(filePath: path))) == bytes)
      // Nothing in the name did anything.
      #expect(!home.folder.files.contains { $0.hasSuffix("pwned") })
      // What is here is not fetched again: it is there at once, under the same name.
      async let again = CommandRun.check("cat", [note])
      try await natter.say("/open")
      #expect(try await again.text.split(separator: "\n").last.map(String.init) == path)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(arguments: ServerKind.allCases)
    func `a file that is gone from its first address comes from the next`(kind: ServerKind)
      async throws
    {
      let alice = try await TestAccount("alice", on: kind)
      let bob = try await TestAccount("bob", on: kind)
      let peer = try await bob.slixmpp()
      let natter = try natter(alice)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let bytes = Array("roses are red\n".utf8)
      try Data(bytes).write(to: folder.url("file.bin"))
      let url = try await peer.upload(folder.path("file.bin"), type: "text/plain")
      // A slot that the service does not know.
      let slash = try #require(url.lastIndex(of: "/"))
      let gone = url[..<slash].dropLast(3) + "000" + url[slash...]
      let sources = [String(gone), url].map {
        "<url-data xmlns='http://jabber.org/protocol/url-data' target='\($0)'/>"
      }
      try await peer.send(
        xml: """
          <message to='\(alice.jid)' type='chat' id='f1'><body>\(gone)</body>\
          <file-sharing xmlns='urn:xmpp:sfs:0' disposition='inline'>\
          <file xmlns='urn:xmpp:file:metadata:0'><name>rose.txt</name>\
          <size>\(bytes.count)</size></file><sources>\(sources.joined())</sources>\
          </file-sharing><x xmlns='jabber:x:oob'><url>\(gone)</url></x></message>
          """)
      try await natter.shows("│ rose.txt")
      try await natter.say("/save 1 \(folder.path("saved.txt"))")
      try await natter.shows("rose.txt is saved:")
      #expect(try [UInt8](Data(contentsOf: folder.url("saved.txt"))) == bytes)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test func `a file that was sent under a name that is no UTF-8 is opened itself`() async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let note = home.folder.path("note")
      mkfifo(note, 0o600)
      try home.folder.write(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" | od -An -c >'\(note)'\n", to: "bin/viewer", mode: 0o700)
      try configure("open_command = [\"\(home.folder.path("bin/viewer"))\"]")
      let natter = try natter(alice)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let name = Array("/r".utf8) + [0xF6] + Array("se.txt".utf8)
      let descriptor = open(
        (Array(folder.root.path.utf8) + name).map { CChar(bitPattern: $0) } + [0],
        O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      try #require(descriptor >= 0 && write(descriptor, "rose", 4) == 4)
      close(descriptor)
      try await natter.say("/upload \(folder.path("r\u{FFFD}se.txt"))")
      try await peer.message { $0.body?.hasPrefix("https://") == true }
      try await natter.shows("│ r\u{FFFD}se.txt")
      async let given = CommandRun.check("cat", [note])
      try await natter.say("/open")
      let words = try await given.text
      // 0xF6 is 366 in octal digits.
      #expect(words.filter { !$0.isWhitespace }.hasSuffix("/r366se.txt\\n"), "\(words)")
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test func `a program that is not there is named, and the file is kept`() async throws {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let kept = try home.folder.makeFolder("kept").path
      try configure("folder = \"\(kept)\"", "open_command = [\"no-such-viewer\"]")
      let natter = try natter(alice)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      try await offer([1, 2, 3], named: "rose.txt", from: peer, to: alice)
      try await natter.shows("rose.txt")
      try await natter.say("/open")
      try await natter.shows("no-such-viewer")
      #expect(FileManager.default.fileExists(atPath: kept + "/rose.txt"))
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    /// A server that halts once in the middle of its file, and goes on from anywhere.
    private func slow(_ bytes: [UInt8], haltsAfter count: Int) throws -> HTTPPeer {
      try HTTPPeer { request in
        let headers = [("ETag", "\"v1\""), ("Content-Type", "application/octet-stream")]
        if request.method == "HEAD" {
          return .answer(200, headers: headers + [("Content-Length", "\(bytes.count)")])
        }
        guard let range = request.headers["range"],
          let start = Int(range.dropFirst("bytes=".count).dropLast())
        else {
          let head =
            "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(bytes.count)\r\n\r\n"
          return .halting(Array(head.utf8) + bytes, after: head.utf8.count + count)
        }
        return .answer(
          206,
          headers: headers + [
            ("Content-Range", "bytes \(start)-\(bytes.count - 1)/\(bytes.count)")
          ], body: Array(bytes[start...]))
      }
    }

    @Test(.enabled(if: DiskOfOurOwn.canBeMade, "needs the right to mount a file system"))
    func `a file too large for the disk is reported with the room there is, and comes elsewhere`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let kept = try home.folder.makeFolder("kept").path
      let disk = try DiskOfOurOwn(at: kept, bytes: 8 << 20)
      defer { disk.unmount() }
      try disk.fill(leaving: 1 << 20)
      try configure("folder = \"\(kept)\"")
      let natter = try natter(alice)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let bytes = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try await offer(bytes, named: "rose.bin", from: peer, to: alice)
      try await natter.shows("rose.bin")
      try await natter.say("/save")
      try await natter.shows("The file is 4.0 MB, and 1.0 MB are free on")
      #expect(try FileManager.default.contentsOfDirectory(atPath: kept) == ["filler"])
      try await natter.say("/save 1 \(folder.path("elsewhere.bin"))")
      try await natter.shows("is saved")
      #expect(try [UInt8](Data(contentsOf: folder.url("elsewhere.bin"))) == bytes)
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }

    @Test(.enabled(if: DiskOfOurOwn.canBeMade, "needs the right to mount a file system"))
    func `a disk that fills during a download is reported, and the rest comes once there is room`()
      async throws
    {
      let alice = try await TestAccount("alice", on: .prosody)
      let bob = try await TestAccount("bob", on: .prosody)
      let peer = try await bob.slixmpp()
      let kept = try home.folder.makeFolder("kept").path
      let disk = try DiskOfOurOwn(at: kept, bytes: 8 << 20)
      defer { disk.unmount() }
      try configure("folder = \"\(kept)\"")
      let natter = try natter(alice)
      try await natter.waitsOnline()
      try await natter.open(chat: bob.jid)
      let bytes = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let web = try slow(bytes, haltsAfter: 1_000_000)
      try await offer(
        web.address + "/rose.bin", of: bytes.count, named: "rose.bin", from: peer, to: alice)
      try await natter.shows("rose.bin")
      try await natter.say("/save")
      #expect(await web.hears { $0.method == "GET" })
      // Others write to it, too.
      try disk.fill(leaving: 1 << 20)
      web.go()
      try await natter.shows("The disk is full. The part")
      // Its hidden part has what went in, and there is nothing that looks like the file.
      let there = try FileManager.default.contentsOfDirectory(atPath: kept)
      #expect(there.filter { $0 != "filler" }.allSatisfy { $0.hasPrefix(".natter-") }, "\(there)")
      let part = try #require(there.first { $0.hasPrefix(".natter-") })
      let size = try #require(
        try FileManager.default.attributesOfItem(atPath: kept + "/" + part)[.size] as? Int)
      // How much that was depends on how far it was when the others wrote.
      #expect((0..<4_000_000).contains(size), "\(size)")
      try disk.empty()
      try await natter.say("/retry")
      try await natter.shows("is saved")
      #expect(try [UInt8](Data(contentsOf: URL(filePath: kept + "/rose.bin"))) == bytes)
      #expect(try FileManager.default.contentsOfDirectory(atPath: kept) == ["rose.bin"])
      #expect(await natter.quit() == .exited(0))
      await peer.signOut()
    }
  }
}
