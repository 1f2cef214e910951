import ChatsFixtures
import NatterCore
import Terminal
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

@Suite struct FormPaneTests {
  let welcome = PanesTests.welcome()
  var form: FormViewModel { welcome.form }

  @Test func `typing, tab and enter are all it takes to sign in`() {
    let pane = pane(welcome)
    pane.type("alice@example.org")
    pane.press(Key(.tab))
    pane.type("sécret 1")
    #expect(form.text(of: "address") == "alice@example.org")
    #expect(form.text(of: "password") == "sécret 1")
    pane.press(.enter)
    #expect(form.isBusy)
    welcome.signIn.stop()
  }

  @Test func `the editing keys of the input line work in a field`() {
    let pane = pane(welcome)
    pane.type("one two")
    pane.press(.control("w"))
    #expect(form.text(of: "address") == "one ")
    pane.press(.control("y"))
    #expect(form.text(of: "address") == "one two")
    pane.press(.control("a"))
    pane.type("x")
    pane.press(.control("e"), Key(.left), .control("k"))
    #expect(form.text(of: "address") == "xone tw")
    pane.press(Key(.home), Key(.delete), .control("u"))
    #expect(form.text(of: "address") == "one tw")
    pane.press(.control("e"), Key(.backspace, .alt))
    #expect(form.text(of: "address") == "one ")
    pane.press(.control("_"))
    #expect(form.text(of: "address") == "one tw")
  }

  @Test func `one backspace removes one grapheme`() {
    let pane = pane(welcome)
    pane.type("a👨‍👩‍👧e")
    _ = pane.handle(.character("\u{301}"))
    #expect(form.text(of: "address") == "a👨‍👩‍👧é")
    pane.press(Key(.backspace))
    #expect(form.text(of: "address") == "a👨‍👩‍👧")
    pane.press(Key(.backspace))
    #expect(form.text(of: "address") == "a")
  }

  @Test func `a cut password cannot be yanked into another field`() {
    let pane = pane(welcome)
    pane.press(Key(.tab))
    pane.type("secret")
    pane.press(.control("u"), Key(.tab, .shift), .control("y"))
    #expect(form.text(of: "address").isEmpty)
    pane.press(Key(.tab))
    pane.type("secret")
    pane.press(Key(.tab, .shift), .control("_"))
    #expect(form.text(of: "address").isEmpty)
  }

  @Test func `a password is stars until the user reveals it`() {
    let pane = pane(welcome)
    pane.press(Key(.tab))
    pane.type("pässwörd")
    #expect(!picture(pane, 80, 24).contains("pässwörd"))
    #expect(picture(pane, 80, 24).contains("[********   "))
    pane.press(.alt("v"))
    #expect(picture(pane, 80, 24).contains("[pässwörd   "))
    pane.press(.alt("v"))
    #expect(!picture(pane, 80, 24).contains("pässwörd"))
  }

  @Test func `the cursor is in the field, also behind wide letters and in long texts`() {
    let pane = pane(welcome)
    pane.type("日本@")
    var surface = drawn(pane, 80, 24)
    #expect(surface.cursor == Point(row: 2, column: 15 + 5))
    pane.type(String(repeating: "x", count: 200) + "END")
    surface = drawn(pane, 80, 24)
    let cursor = surface.cursor ?? Point(row: 0, column: 0)
    // What the hint says of it does not move the fields.
    #expect(cursor.row == 2)
    #expect(surface.text(row: cursor.row).contains("xEND ]"))
    #expect(surface[cursor.row, cursor.column - 1].glyph == "D")
    pane.press(Key(.home))
    #expect(drawn(pane, 80, 24).cursor == Point(row: cursor.row, column: 15))
  }

  @Test func `the focus shows without colour, and the cursor is on it`() {
    let pane = pane(welcome)
    var focuses: [String?] = []
    for _ in 0..<7 {
      let surface = drawn(pane, 80, 24)
      let cursor = surface.cursor
      #expect(cursor != nil)
      let row = surface.text(row: cursor?.row ?? 0)
      #expect(row.contains(">"), "no mark in \(row)")
      focuses.append(form.focus)
      pane.press(Key(.tab))
    }
    #expect(
      focuses == [
        "address", "password", "remember", "at-start", "sign-in", "new-account", "advanced",
      ])
    #expect(form.focus == "address")
  }

  @Test(arguments: [(80, 24), (40, 15), (40, 12)])
  func `a choice's list is shown over the form, its keys choose`(columns: Int, rows: Int) {
    let words = (1...20).map { "word \($0)" }
    let form = FormViewModel(
      title: "Form",
      fields: [
        FormField(.choice(words), "choice", label: "Choice"), FormField(.button, "ok", label: "OK"),
      ], defaultButton: "ok")
    var pressed: [String] = []
    form.onPress = { pressed.append($0) }
    let pane = FormPane(glyphs: .ascii, localizer: english()) { form }
    pane.press(.enter)
    #expect(picture(pane, columns, rows).contains("[>word 1<]"))
    pane.press(Key(.down), Key(.down), .character("j"), Key(.up))
    let surface = drawn(pane, columns, rows)
    #expect(surface.description.contains("[>word 3<]"))
    #expect(surface.cursor.map { surface.text(row: $0.row).contains("word 3") } == true)
    pane.press(Key(.end))
    #expect(picture(pane, columns, rows).contains("[>word 20<]"))
    pane.press(.enter)
    #expect(form["choice"]?.selectedWord == "word 20")
    pane.press(.enter, Key(.home), Key(.escape))
    #expect(form["choice"]?.selectedWord == "word 20")
    #expect(pressed.isEmpty)
  }

  @Test func `up and down move, space ticks`() {
    let pane = pane(welcome)
    pane.press(Key(.down), Key(.down), .character(" "))
    #expect(form.focus == "remember")
    #expect(!form.isOn("remember"))
    pane.press(Key(.up))
    #expect(form.focus == "password")
  }

  @Test func `a paste is one line of text and presses nothing`() {
    let pane = pane(welcome)
    _ = pane.handlePaste("alice@example.org\nsecret\n")
    #expect(form.text(of: "address") == "alice@example.org")
    #expect(form.focus == "address")
    #expect(!form.isBusy)
    pane.press(Key(.home))
    _ = pane.handlePaste("\r\nxmpp:")
    #expect(form.text(of: "address") == "xmpp:alice@example.org")
    form.focus(on: "remember")
    #expect(pane.handlePaste("x") == .handled)
  }

  @Test func `keys that are not the form's go on, letters never do`() {
    let pane = pane(welcome)
    form.focus(on: "remember")
    #expect(pane.handle(.character("x")) == .handled)
    #expect(pane.handle(.control("q")) == .ignored)
    #expect(pane.handle(Key(.function(1))) == .ignored)
    #expect(pane.handle(.control("x")) == .ignored)
    #expect(pane.handle(.alt("a")) == .ignored)
    form.focus(on: "address")
    #expect(pane.handle(.control("q")) == .ignored)
    #expect(pane.handle(Key(.function(1))) == .ignored)
  }

  @Test func `while it signs in it answers keys and esc stops it`() {
    let pane = pane(welcome)
    pane.type("alice@example.org")
    pane.press(.enter)
    pane.type("pw")
    pane.press(.enter)
    #expect(picture(pane, 80, 24).contains("Looking up example.org ..."))
    pane.type("more")
    #expect(form.text(of: "password") == "pw")
    pane.press(Key(.tab), .escape)
    #expect(!form.isBusy)
    #expect(form.text(of: "address") == "alice@example.org")
    #expect(form.text(of: "password") == "pw")
    #expect(picture(pane, 80, 24).contains("Stopped."))
  }

  @Test func `the focused field is on the screen at every size`() {
    let pane = advancedPane()
    for rows in stride(from: 3, through: 24, by: 1) {
      for columns in [16, 30, 40, 59, 60, 80] {
        let surface = drawn(pane, columns, rows)
        let cursor = surface.cursor
        #expect(
          cursor.map { surface.text(row: $0.row).contains(">Port") } == true,
          "\(columns)x\(rows):\n\(surface)")
      }
    }
  }

  @Test func `no size is too small to be drawn`() {
    let panes: [any OverlayPane] = [
      advancedPane(), signInPane(showing: .certificateExpired, detail: "x"), guidePane(page: 0),
      alertPane(), helpPane(), removalPane(),
    ]
    for pane in panes {
      for rows in 0..<12 {
        for columns in 0..<26 {
          var surface = Surface(size: Size(rows: rows, columns: columns))
          pane.draw(into: &surface)
          if let cursor = surface.cursor {
            #expect((0..<rows).contains(cursor.row) && (0..<columns).contains(cursor.column))
          }
          let frame = pane.frame(in: Size(rows: rows, columns: columns))
          #expect(frame.size.rows <= rows && frame.size.columns <= columns)
        }
      }
    }
  }

  @Test func `hostile text of a server does not reach the screen as it is`() {
    let evil = "\u{1b}[2J\u{202E}evil\u{7}\u{9b}31m\nnext"
    let pane = signInPane(showing: .serverError, detail: evil)
    let box = signInPane(showing: .certificateOther, detail: evil)
    for text in [picture(pane, 80, 24), picture(box, 80, 24), picture(box, 40, 15)] {
      for scalar in text.unicodeScalars where scalar != "\n" {
        #expect(scalar.properties.generalCategory != .control)
        #expect(scalar != "\u{202E}")
      }
    }
    #expect(picture(pane, 80, 24).contains("evil"))
  }

  @Test func `the certificate's box takes the keys and leads to the CA file`() {
    let pane = signInPane(showing: .certificateSelfSigned)
    #expect(picture(pane, 80, 24).contains("[>Back<]"))
    pane.press(Key(.tab), .enter)
    #expect(
      drawn(pane, 80, 24).cursor.map { drawn(pane, 80, 24).text(row: $0.row).contains(">CA file") }
        == true)
    let other = signInPane(showing: .certificateSelfSigned)
    other.press(.escape)
    #expect(!picture(other, 80, 24).contains("Certificate refused"))
    #expect(picture(other, 80, 24).contains("alice@example.org"))
  }

  @Test func `the mouse focuses, ticks and presses`() {
    let pane = pane(welcome)
    let surface = drawn(pane, 80, 24)
    let row = { (text: String) in
      (0..<surface.size.rows).first { surface.text(row: $0).contains(text) } ?? 0
    }
    func click(_ row: Int, _ column: Int) {
      _ = pane.handle(MouseEvent(.press, button: 1, at: Point(row: row, column: column)))
    }
    click(row("Remember"), 6)
    #expect(form.focus == "remember" && !form.isOn("remember"))
    click(row("Password"), 20)
    #expect(form.focus == "password")
    click(row("New account"), 20)
    #expect(welcome.step == .register)
    click(0, 0)
  }

  @Test func `in the guide a key is practised and the pages switch`() {
    let pane = guidePane(page: 1)
    #expect(pane.handle(Key(.function(1))) == .handled)
    #expect(pane.handle(.control("q")) == .handled)
    #expect(picture(pane, 80, 24).contains("[x] F1"))
    #expect(picture(pane, 80, 24).contains("1 key left"))
    #expect(pane.handle(.control("q")) == .ignored)
    pane.press(Key(.right))
    #expect(picture(pane, 80, 24).contains("3/4"))
    #expect(pane.handle(Key(.function(1))) == .ignored)
    pane.press(Key(.left), Key(.left), Key(.left))
    #expect(picture(pane, 80, 24).contains("1/4"))
    pane.press(.escape)
    #expect(picture(pane, 80, 24).contains("Sign in"))
  }

  @Test(arguments: 0..<4)
  func `each page of the guide is left with one key, for the form`(page: Int) {
    let pane = guidePane(page: page)
    #expect(picture(pane, 80, 24).contains("\(page + 1)/4"))
    pane.press(.escape)
    #expect(picture(pane, 80, 24).contains("Sign in"))
    #expect(!picture(pane, 80, 24).contains("/4"))
  }

  @Test func `what does not fit is scrolled to, the buttons stay`() {
    let pane = guidePane(page: 2)
    let top = picture(pane, 40, 15)
    #expect(top.contains("What is stored where"))
    #expect(!top.contains("end to end yet"))
    #expect(top.contains("PgDn more"))
    pane.press(Key(.pageDown))
    let bottom = picture(pane, 40, 15)
    #expect(bottom.contains("end to end yet"))
    #expect(bottom.contains("[>Next<]"))
    for _ in 0..<30 { pane.press(Key(.up)) }
    #expect(picture(pane, 40, 15).contains("What is stored where"))
  }

  @Test func `errors have a mark and a role of their own`() {
    let pane = signInPane(showing: .wrongPassword)
    let surface = drawn(pane, 80, 24)
    let row = (0..<surface.size.rows).first { surface.text(row: $0).contains("! Wrong password.") }
    #expect(row.map { surface.roles(row: $0).contains(.fieldError) } == true)
  }

  @Test func `borders are drawn with the terminal's glyphs`() {
    let text = picture(PanesTests.pane(welcome, glyphs: .unicode), 80, 24)
    #expect(text.hasPrefix("┌─ Sign in ──"))
    #expect(text.hasSuffix("──┘"))
  }

  @Test func `it is alone on the screen and centred`() {
    let pane = pane(welcome)
    #expect(pane.hidesOthers)
    let frame = pane.frame(in: Size(rows: 40, columns: 120))
    #expect(frame.origin.column == (120 - frame.size.columns) / 2)
    #expect(!pane.isDismissed)
    pane.close()
    #expect(pane.isDismissed)
  }
}
