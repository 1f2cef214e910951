import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct InputCompletionTests {
  typealias Entry = ShellViewModel.FolderEntry

  let folders: [String: [Entry]] = [
    ".": [Entry(name: "here.txt", isFolder: false)],
    "/home/me/": [
      Entry(name: "Music", isFolder: true), Entry(name: "my notes.txt", isFolder: false),
      Entry(name: ".profile", isFolder: false), Entry(name: "a\\b", isFolder: false),
    ],
    "/home/me/Music/": [Entry(name: "song.ogg", isFolder: false)],
  ]

  func source(_ localizer: Localizer = english()) -> CompletionSource {
    CompletionSource(
      table: CommandTable(), localizer: localizer,
      candidates: { parameter in
        guard parameter == .room else { return [] }
        return [
          CompletionItem(text: "dev@rooms.example.org", detail: "natter-dev"),
          CompletionItem(text: "club@rooms.example.org", detail: "book club"),
        ]
      },
      paths: { typed in
        PathCompletion.items(
          for: typed, absolute: { $0.hasPrefix("~/") ? "/home/me/" + $0.dropFirst(2) : $0 },
          entries: { folders[$0] ?? [] })
      })
  }

  /// Returns the line with each of the candidates.
  func completed(_ line: String, _ localizer: Localizer = english()) -> [String] {
    guard let found = source(localizer).completion(head: line, tail: "") else { return [] }
    return found.items.map { found.head + $0.text }
  }

  @Test func `a match of a name comes before a match of a description`() {
    let items = [
      CompletionItem(text: "pin", detail: "Keep a conversation at the top"),
      CompletionItem(text: "keys"), CompletionItem(text: "busy", detail: "do not disturb"),
      CompletionItem(text: "dnd", detail: "do not disturb"),
    ]
    let source = CompletionSource(
      table: CommandTable(), localizer: english(), candidates: { _ in items })
    func found(_ line: String) -> [String] {
      source.completion(head: line, tail: "")?.items.map(\.text) ?? []
    }
    #expect(found("/help ke") == ["keys", "pin"])
    #expect(found("/status d") == ["dnd", "busy"])
  }

  @Test func `a path is completed whatever blanks are in it, folders with a slash`() {
    // What is written as it was typed comes first.
    #expect(completed("/upload ~/m") == ["/upload ~/my notes.txt", "/upload ~/Music/"])
    #expect(completed("/upload ~/my no") == ["/upload ~/my notes.txt"])
    #expect(completed("/upload ~/Music/") == ["/upload ~/Music/song.ogg"])
    #expect(
      completed("/UPLOAD /home/me/M") == [
        "/UPLOAD /home/me/Music/", "/UPLOAD /home/me/my notes.txt",
      ])
    #expect(completed("/upload ~") == ["/upload ~/"])
    #expect(completed("/upload he") == ["/upload here.txt"])
    #expect(completed("/save 2 ~/mu") == ["/save 2 ~/Music/"])
    #expect(completed("/upload /nowhere/x") == [])
  }

  @Test func `keywords are listed before the path of an export, and after that of an import`() {
    let source = CompletionSource(
      table: CommandTable(), localizer: english(),
      candidates: { $0.keywords.map { CompletionItem(text: $0) } },
      paths: { $0.isEmpty ? [CompletionItem(text: "log.txt")] : [] })
    func found(_ line: String) -> [String] {
      source.completion(head: line, tail: "")?.items.map(\.text) ?? []
    }
    #expect(found("/export ") == ["text", "html", "jsonl", "cancel", "log.txt"])
    #expect(found("/export html ") == ["log.txt"])
    // Enter does not undo what the user did not ask for.
    #expect(found("/import ") == ["log.txt", "undo", "cancel"])
    #expect(found("/import u") == ["undo"])
    #expect(found("/import undo ") == [])
  }

  @Test func `hidden files are listed where their dot is typed, and a backslash is escaped`() {
    #expect(completed("/upload ~/.") == ["/upload ~/.profile"])
    #expect(completed("/upload ~/a") == ["/upload ~/a\\\\b"])
    #expect(completed("/upload ~/a\\\\") == ["/upload ~/a\\\\b"])
    #expect(DroppedPath.path(in: "~/a\\\\b") == "~/a\\b")
  }

  @Test func `a name in front of which is a colon becomes an emoji, in text and in commands`() {
    #expect(completed("so :tada").first == "so 🎉")
    #expect(completed("/me :tada").first == "/me 🎉")
    #expect(completed("so :") == [])
    #expect(completed("at 12:30") == [])
  }

  @Test func `an emoji is found by its name in the language of the interface`() {
    let french = Localizer(tag: "fr", texts: [:])
    #expect(completed("bravo :cotil", french).first == "bravo 🎉")
    #expect(completed("/me :tada", french).first == "/me 🎉")
    let chinese = Localizer(tag: "zh-Hans", texts: [:])
    // No space is put between names there, and the keyboard has a colon of its own.
    #expect(completed("你好:拇指向上", chinese).first == "你好👍")
    #expect(completed("你好，：拇指向上", chinese).first == "你好，👍")
    #expect(completed("：红心", chinese).first == "❤")
    #expect(completed("http://拇指向上", chinese) == [])
  }

  @Test func `a room is found by its name or its address, and becomes a link that others can open`()
  {
    let (dev, club) = ("xmpp:dev@rooms.example.org?join", "xmpp:club@rooms.example.org?join")
    #expect(completed("come to #nat") == ["come to \(dev)"])
    #expect(completed("come to #CLUB@") == ["come to \(club)"])
    #expect(completed("#") == [dev, club])
    #expect(completed("/me likes #book") == ["/me likes \(club)"])
    #expect(completed("#nowhere") == [])
    #expect(completed("no#dev") == [])
    // A command that wants a room takes its address.
    #expect(completed("/join #nat") == ["/join dev@rooms.example.org"])
    #expect(completed("/join nat") == ["/join dev@rooms.example.org"])
    let text = "come to \(dev) now"[...]
    #expect(LinkFinder.ranges(in: text).map { String(text[$0]) } == [dev])
  }

  @Test func `a path is completed in text too, where it begins at home`() {
    #expect(completed("it is in ~/Mus") == ["it is in ~/Music/"])
    #expect(completed("~/m") == ["~/my notes.txt", "~/Music/"])
    #expect(completed("~m") == [])
    #expect(completed("see /home") == [])
  }
}
