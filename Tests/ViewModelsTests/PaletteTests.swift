import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct FuzzyIndexTests {
  private func found(_ query: String, _ texts: [String]) -> [String] {
    FuzzyIndex.best(FuzzyIndex(texts).matches(query), limit: 10).map { texts[$0.index] }
  }

  @Test func `letters in their order are found, whatever their case`() {
    #expect(found("bm", ["Bob Martin", "Mum"]) == ["Bob Martin"])
    #expect(found("MUM", ["Bob Martin", "Mum"]) == ["Mum"])
    #expect(found("mb", ["Bob Martin"]) == [])
    #expect(found("", ["a", "b"]) == ["a", "b"])
  }

  @Test func `the beginning of a word is likelier than its middle, and that than letters apart`() {
    #expect(
      found("the", ["t h e rest", "other", "say the word", "theme"])
        == ["theme", "say the word", "other", "t h e rest"])
    #expect(found("ann", ["Joanna", "Ann"]) == ["Ann", "Joanna"])
  }

  @Test func `of two that are as likely the earlier comes first`() {
    #expect(found("room", ["room b", "room a"]) == ["room b", "room a"])
  }

  @Test func `several terms are all wanted, in any order`() {
    #expect(found("day theme", ["Theme: day", "Theme: night", "Monday"]) == ["Theme: day"])
  }

  @Test func `other scripts are found`() {
    #expect(found("里", ["里昂 Lyon", "巴黎 Paris"]) == ["里昂 Lyon"])
    #expect(found("éco", ["École"]) == ["École"])
  }

  @Test func `Chinese names are found by the initials of their pinyin`() {
    let cities = ["北京", "重庆", "长沙", "深圳", "Swift 中文社区", "Bob Jones"]
    #expect(found("bj", cities) == ["北京", "Bob Jones"])
    #expect(found("cq", cities) == ["重庆"] && found("cs", cities) == ["长沙"])
    #expect(found("sz", cities) == ["深圳"] && found("zwsq", cities) == ["Swift 中文社区"])
    #expect(found("swift zw", cities) == ["Swift 中文社区"])
    // From the beginning of a run, as of every term behind a title.
    #expect(found("j", ["北京"]) == [])
    // The description of an entry keeps its position, and has no initials of its own.
    #expect(found("Pek", ["北京\(FuzzyIndex.divider)Peking"]).count == 1)
    #expect(found("xj", ["Theme\(FuzzyIndex.divider)新建房间"]) == [])
    // Kana and Hangul are not Chinese.
    #expect(found("a", ["あいう", "한국"]) == [])
  }

  @Test func `no more than the limit, the likeliest`() {
    let texts = (0..<1000).map { "entry \($0)" }
    let best = FuzzyIndex.best(FuzzyIndex(texts).matches("entry 7"), limit: 3)
    #expect(best.count == 3)
    #expect(texts[best[0].index] == "entry 7")
  }

  @Test func `letters apart count only near each other, and only in the title`() {
    #expect(found("dark", ["dogs and rabbits know", "d-a-r-k"]) == ["d-a-r-k"])
    let said = "\(FuzzyIndex.divider)sets how a room looks"
    #expect(found("room", ["Theme" + said]) == ["Theme" + said])
    #expect(found("oks", ["Theme" + said]) == [] && found("shl", ["Theme" + said]) == [])
    #expect(found("房间", ["Theme\(FuzzyIndex.divider)新建房间"]).count == 1)
  }

  @Test func `what has all the terms together comes first`() {
    #expect(
      found("new room", ["room: something new", "a new room"])
        == ["a new room", "room: something new"])
  }

  @Test func `letters that are apart by chance are nothing beside what begins with them`() {
    func meant(_ query: String, _ texts: [String]) -> [String] {
      FuzzyIndex.meant(FuzzyIndex(texts).matches(query)).map { texts[$0.index] }
    }
    let blank = "Cut back to a blank"
    #expect(
      meant("bob", [blank, "Bob Martin", "Kebobs", "Buy one book"]) == [
        "Bob Martin", "Kebobs", "Buy one book",
      ])
    #expect(meant("bob", [blank, "Kebobs"]) == [blank, "Kebobs"])
    #expect(meant("bob", [blank, "Robert\(FuzzyIndex.divider)bob@example.net"]).count == 1)
    #expect(meant("blank bob", [blank + " of Bob", blank + " to obey"]) == [blank + " of Bob"])
    // The whole of a name comes before the beginning of another one.
    #expect(found("chat", ["/chats", "/chat ADDRESS"]) == ["/chat ADDRESS", "/chats"])
  }

  @Test func `letters that are added look only at what was found`() {
    let index = FuzzyIndex(["alpha", "beta", "alto"])
    let first = index.matches("al").map(\.index)
    #expect(first == [0, 2])
    #expect(index.matches("alt", among: first).map(\.index) == [2])
  }
}

@Suite struct PaletteViewModelTests {
  private let memory = RecentChoices()

  private func palette(_ run: @escaping (String) -> Void = { _ in }) -> PaletteViewModel {
    func entry(_ id: String, _ kind: PaletteEntry.EntryKind, _ title: String) -> PaletteEntry {
      PaletteEntry(id: id, kind: kind, title: title) { run(id) }
    }
    return PaletteViewModel(
      entries: [
        entry("bob", .conversation, "Bob Martin"), entry("dev", .room, "natter-dev"),
        entry("theme", .action, "Day or night"), entry("join", .command, "/join ROOM"),
        entry("bell", .setting, "Setting: Bell"),
      ], memory: memory, localizer: english(),
      fallback: { $0.contains("@") ? [entry("new", .contact, "Write to \($0)")] : [] })
  }

  private func titles(_ palette: PaletteViewModel) -> [String] { palette.items.map(\.title) }

  @Test func `without a query all are there, in their order`() {
    #expect(titles(palette()).count == 5)
  }

  @Test func `a symbol at the beginning narrows to a kind`() {
    let palette = palette()
    for (query, title) in [
      ("@", ["Bob Martin"]), ("#", ["natter-dev"]), ("/", ["/join ROOM"]),
      ("?", ["Day or night", "Setting: Bell"]), ("/jo", ["/join ROOM"]), ("@dev", []),
    ] {
      palette.edit(query, cursor: 1)
      #expect(titles(palette) == title, "\(query)")
    }
  }

  @Test func `a letter taken away finds more again`() {
    let palette = palette()
    palette.edit("bob", cursor: 3)
    #expect(titles(palette) == ["Bob Martin"])
    palette.edit("b", cursor: 1)
    #expect(titles(palette).contains("Setting: Bell"))
  }

  @Test func `what is beside what was meant is there again for a letter more`() {
    let palette = PaletteViewModel(
      entries: ["Cut back to a blank", "Bob"].map { title in
        PaletteEntry(id: title, kind: .action, title: title) {}
      }, memory: memory, localizer: english())
    for (query, expected) in [("bob", ["Bob"]), ("bobl", ["Cut back to a blank"])] {
      palette.edit(query, cursor: 0)
      #expect(titles(palette) == expected, "\(query)")
    }
  }

  @Test func `enter runs what is selected, and it comes first the next time`() {
    var ran: [String] = []
    let palette = palette { ran.append($0) }
    palette.onRun = { $0.run() }
    palette.moveSelection(1)
    palette.moveSelection(1)
    #expect(palette.run())
    #expect(ran == ["theme"])
    #expect(titles(self.palette()).first == "Day or night")
    palette.edit("zzz", cursor: 3)
    #expect(!palette.run())
    #expect(palette.emptyText.hasPrefix("No match. Try fewer letters"))
  }

  @Test(arguments: [
    ("en", "create room", "join"), ("en", "new chat", "chat"), ("en", "mute", "mute"),
    ("en", "dark", "theme"), ("en", "room", "join"), ("fr", "salon", "join"),
    ("zh-Hans", "聊天室", "join"), ("fr", "créer salon", "join"), ("fr", "sombre", "theme"),
    ("zh-Hans", "静音", "notify"), ("zh-Hans", "深色", "theme"),
  ])
  func `a new user finds a command by their own terms`(
    language: String, query: String, command: String
  ) throws {
    let texts = try texts(of: language)
    let entries = CommandTable().commands.map { command in
      PaletteEntry(
        id: command.name, kind: .command, title: texts[command.usageKey] ?? "",
        detail: texts[command.summaryKey] ?? "",
        keywords: texts["synonyms.command.\(command.name)"] ?? ""
      ) {}
    }
    let palette = PaletteViewModel(
      entries: entries, memory: RecentChoices(),
      localizer: Localizer(tag: language, texts: texts))
    palette.edit(query, cursor: query.count)
    #expect(palette.items.first?.id == command, "\(palette.items.map(\.id))")
  }

  @Test func `an address that no one has can be written to`() {
    let palette = palette()
    palette.edit("x@y.z", cursor: 5)
    #expect(titles(palette) == ["Write to x@y.z"])
  }

  private func file(_ id: String, _ title: String, run: @escaping () -> Void = {}) -> PaletteEntry {
    PaletteEntry(id: id, kind: .file, title: title, detail: "Bob Martin, 14:00", run: run)
  }

  @Test func `files that are read while it is open join in, and what is selected stays`() {
    let palette = palette()
    palette.edit("o", cursor: 1)
    let before = titles(palette)
    palette.moveSelection(1)
    let selected = palette.items.first { $0.isSelected }?.title
    palette.add([file("file 1", "logo.png"), file("file 2", "holiday.jpg")])
    #expect(Set(titles(palette)) == Set(before + ["logo.png", "holiday.jpg"]))
    #expect(palette.items.first { $0.isSelected }?.title == selected)
    #expect(palette.items.first { $0.title == "logo.png" }?.glyph == "~")
    palette.edit("~", cursor: 1)
    #expect(titles(palette) == ["logo.png", "holiday.jpg"])
    palette.edit("~hol", cursor: 4)
    #expect(titles(palette) == ["holiday.jpg"])
    palette.edit("@log", cursor: 4)
    #expect(titles(palette) == [])
  }

  @Test func `a file that was gone to lately comes first, though it is read later`() {
    var ran = 0
    let first = palette()
    first.add([file("file 2", "holiday.jpg") { ran += 1 }])
    first.onRun = { $0.run() }
    first.edit("holi", cursor: 4)
    #expect(first.run() && ran == 1)
    let second = palette()
    second.add([file("file 1", "logo.png"), file("file 2", "holiday.jpg")])
    #expect(titles(second).first == "holiday.jpg" && titles(second).last == "logo.png")
    // Nobody had gone anywhere yet.
    #expect(second.items[0].isSelected)
  }

  @Test func `what is found later joins behind, once, and what it was made of is found as before`()
  {
    let palette = palette()
    palette.edit("o", cursor: 1)
    let before = titles(palette)
    palette.add([file("file 1", "old logo.png")])
    palette.add([file("file 1", "old logo.png"), file("file 2", "older logo.png")])
    #expect(Set(titles(palette)) == Set(before + ["old logo.png", "older logo.png"]))
    #expect(titles(palette).count == before.count + 2)
    palette.edit("older", cursor: 5)
    #expect(titles(palette) == ["older logo.png"])
    palette.edit("bob", cursor: 3)
    // The people of files are found, too.
    #expect(titles(palette) == ["Bob Martin", "old logo.png", "older logo.png"])
  }

  @Test func `only what can be a file is looked for among files`() {
    let palette = palette()
    var asked: [String] = []
    palette.onSearch = { asked.append($0) }
    for query in ["l", "lo", "~lo", "~", "@lo", "#lo", "/lo", "?lo", "xmpp:lo", "", "  b c "] {
      palette.edit(query, cursor: 1)
    }
    #expect(asked == ["l", "lo", "lo", "", "b c"])
  }

  private func offered(_ number: Int, _ name: String) -> OfferedFile? {
    ChatsFixtures.file(Int64(number), name, at: Double(number))
  }

  @Test
  func `all files are found, those that are not there from the start by a part of their name`()
    async
  {
    let old = [offered(1, "the first plan.pdf"), offered(2, "planet.jpg")]
    let files = FakeFiles(
      (old + (3..<1200).map { offered($0, "photo \($0).jpg") }).compactMap { $0 })
    let shell = ShellViewModel(FakePorts(), files: .on(files))
    let palette = palette()
    shell.findFiles(for: palette)
    // Typed before anything was read.
    palette.edit("plan", cursor: 4)
    #expect(titles(palette) == [])
    await shell.finish()
    #expect(titles(palette).prefix(2) == ["planet.jpg", "the first plan.pdf"])
    palette.edit("first pl", cursor: 8)
    await shell.finish()
    #expect(titles(palette).first == "the first plan.pdf")
    palette.edit("photo 199.jpg", cursor: 13)
    await shell.finish()
    #expect(titles(palette).first == "photo 199.jpg")
    #expect(await files.reads.first == 1000)
  }

  @Test func `where all files are there from the start the disk is left alone`() async {
    let files = FakeFiles((1..<20).compactMap { offered($0, "photo \($0)") })
    let shell = ShellViewModel(FakePorts(), files: .on(files))
    let palette = palette()
    shell.findFiles(for: palette)
    await shell.finish()
    palette.edit("photo 7", cursor: 7)
    await shell.finish()
    #expect(titles(palette).first == "photo 7")
    #expect(await files.reads == [1000])
  }

  @Test(arguments: ["xmpp:bob@example.net", "XMPP:", "natter://files/show", "natter:bob"])
  func `an address of the program's own is opened, and nothing with its letters is meant`(
    address: String
  ) async {
    var opened: [String] = []
    var actions = ShellActions.forTests()
    actions.openAddress = { address, _ in opened.append(address) }
    let shell = ShellViewModel(FakePorts(), actions: actions)
    let palette = PaletteViewModel(
      entries: [file("file 1", "xmpp:bob@example.net natter://files/show natter:bob")],
      memory: memory, localizer: english(), fallback: { shell.paletteFallback($0) })
    palette.onRun = { $0.run() }
    palette.edit(address, cursor: 3)
    #expect(titles(palette) == ["Open \(address)"])
    #expect(palette.run() && opened == [address])
  }
}

extension FuzzyIndexTests {
  @Test func `fifty thousand texts are all looked at`() {
    let index = FuzzyIndex((0..<50_000).lazy.map { "photo \($0).jpg  Bob Martin" })
    #expect(index.matches("49999").map(\.index) == [49_999])
  }
}
