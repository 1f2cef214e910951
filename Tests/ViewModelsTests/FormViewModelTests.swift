import Testing

@testable import ViewModels

@Suite struct FormViewModelTests {
  let form: FormViewModel

  init() {
    var first = FormField(.text, "first", label: "First")
    first.isRequired = true
    var second = FormField(.password, "second", label: "Second")
    second.isRequired = true
    var hidden = FormField(.text, "hidden", label: "Hidden")
    hidden.isHidden = true
    form = FormViewModel(
      title: "Form",
      fields: [
        FormField(.paragraph, "intro", label: "Read me"), first, second,
        FormField(.checkbox, "tick", label: "Tick"),
        FormField(.choice(["a", "b", "c"]), "choice", label: "Choice"), hidden,
        FormField(.spacer, "space"), FormField(.button, "ok", label: "OK"),
        FormField(.button, "cancel", label: "Cancel"),
      ], defaultButton: "ok")
  }

  @Test func `the focus goes over what can be focused, and round`() {
    var visited: [String?] = []
    for _ in 0..<7 {
      visited.append(form.focus)
      form.focusNext()
    }
    #expect(visited == ["first", "second", "tick", "choice", "ok", "cancel", "first"])
    form.focus(on: "first")
    form.focusPrevious()
    #expect(form.focus == "cancel")
    form.focus(on: "hidden")
    #expect(form.focus == "cancel")
    form.focus(on: "nothing")
    #expect(form.focus == "cancel")
  }

  @Test func `a form without anything to focus takes every key calmly`() {
    let form = FormViewModel(title: "", fields: [FormField(.paragraph, "p", label: "Hello")])
    #expect(form.focus == nil)
    form.focusNext()
    form.toggle()
    form.turn(by: 1)
    form.edit("x", cursor: 1)
    form.confirm()
    #expect(form.text(of: "p").isEmpty)
  }

  @Test func `enter goes to what is still empty, then presses the default button`() {
    var pressed: [String] = []
    form.onPress = { pressed.append($0) }
    form.fill("first", "x")
    form.confirm()
    #expect(form.focus == "second")
    #expect(pressed.isEmpty)
    form.fill("second", "y")
    form.confirm()
    #expect(pressed == ["ok"])
    form.focus(on: "tick")
    form.confirm()
    #expect(pressed == ["ok", "ok"])
    form.focus(on: "cancel")
    form.confirm()
    #expect(pressed == ["ok", "ok", "cancel"])
  }

  @Test func `space ticks, chooses and presses, and does nothing to a text`() {
    var changed: [String] = []
    form.onChange = { changed.append($0) }
    form.focus(on: "tick")
    form.toggle()
    #expect(form.isOn("tick"))
    form.focus(on: "choice")
    form.toggle()
    #expect(form["choice"]?.selectedWord == "b")
    form.turn(by: -1)
    form.turn(by: -1)
    #expect(form["choice"]?.selectedWord == "c")
    form.focus(on: "first")
    form.toggle()
    #expect(changed == ["tick", "choice", "choice", "choice"])
  }

  @Test func `enter on a choice lists its values, and enter there takes one`() {
    var (changed, pressed): ([String], [String]) = ([], [])
    form.onChange = { changed.append($0) }
    form.onPress = { pressed.append($0) }
    form.onDialogPress = { pressed.append("dialog " + $0) }
    form.focus(on: "choice")
    form.turn(by: 1)
    changed = []
    form.confirm()
    #expect(form.dialog?.isList == true)
    #expect(form.dialog?.title == "Choice")
    #expect(form.dialog?.buttons.map(\.label) == ["a", "b", "c"])
    #expect(form.dialog?.focusedButton?.label == "b")
    form.dialog?.moveFocus(by: 1)
    form.pressDialog()
    #expect(form["choice"]?.selectedWord == "c")
    #expect(form.dialog == nil && form.focus == "choice")
    #expect(changed == ["choice"])
    // The same word again, or Esc: nothing has changed.
    form.confirm()
    form.pressDialog()
    form.confirm()
    form.dialog?.moveFocus(by: 1)
    form.cancel()
    #expect(form["choice"]?.selectedWord == "c")
    #expect(form.dialog == nil)
    #expect(changed == ["choice"] && pressed.isEmpty)
  }

  @Test func `while it is busy nothing changes and only cancelling works`() {
    var pressed = 0
    var cancelled = 0
    form.onPress = { _ in pressed += 1 }
    form.onCancel = { cancelled += 1 }
    form.isBusy = true
    form.fill("first", "x")
    form.focus(on: "tick")
    form.toggle()
    form.confirm()
    form.press("ok")
    #expect(form.text(of: "first").isEmpty)
    #expect(!form.isOn("tick"))
    #expect(pressed == 0)
    form.cancel()
    #expect(cancelled == 1)
  }

  @Test func `typing takes away the field's error`() {
    form.update("first") { $0.error = "wrong" }
    form.fill("first", "")
    #expect(form["first"]?.error == "wrong")
    form.fill("first", "a")
    #expect(form["first"]?.error == nil)
  }

  @Test func `fields that come back have what was typed into them`() {
    form.fill("first", "kept")
    form.replace(title: "Other", fields: [FormField(.text, "other")], focus: nil)
    #expect(form.focus == "other")
    form.replace(title: "Form", fields: [FormField(.text, "first")], focus: nil)
    #expect(form.text(of: "first") == "kept")
    #expect(form["first"]?.cursor == 4)
  }

  @Test func `hiding the field with the focus moves it on`() {
    form.focus(on: "tick")
    form.update("tick") { $0.isHidden = true }
    #expect(form.focus == "choice")
  }

  @Test func `a cursor outside the text is brought back`() {
    form.update("first") {
      $0.text = "abc"
      $0.cursor = 99
    }
    #expect(form["first"]?.cursor == 3)
    form.update("first") { $0.cursor = -5 }
    #expect(form["first"]?.cursor == 0)
  }

  @Test func `each change marks the form stale, and no change does not`() {
    form.invalidation.lower()
    form.update("first") { $0.hint = nil }
    #expect(!form.invalidation.isRaised)
    form.fill("first", "a")
    #expect(form.invalidation.isRaised)
  }

  @Test func `esc closes the box over the form before the form`() {
    var cancelled = 0
    form.onCancel = { cancelled += 1 }
    form.dialog = Dialog(title: "", lines: [], buttons: [])
    form.cancel()
    #expect(form.dialog == nil)
    #expect(cancelled == 0)
    form.cancel()
    #expect(cancelled == 1)
  }
}
