import Terminal
import ViewModels

/// A sub-app on the screen: the panes it consists of, where each goes, which has the focus.
///
/// The desktop shows one at a time and gives it everything that is not meant for all of them. It keeps its place
/// while another is shown.
package protocol SubApp: AnyObject {
  /// Which bindings hold now.
  var context: KeyBinding.Context { get }
  /// What of the bindings of its context the focused pane does anything for; `nil`: all of them.
  var acceptedActions: Set<KeyAction>? { get }
  /// Where the words are for what keys do here: those of `Resources/locales` under `key.<this>` come before what they do in any
  /// list; empty where there are none.
  var keyWords: String { get }
  /// The pane with the focus, for the hardware cursor.
  var focusedPane: any Pane { get }
  /// Where everything goes on a screen of `size` now; brings hints and focus up to date.
  func placements(in size: Size) -> [Placement]
  /// Does what is bound to a key.
  /// - Returns: whether there is anything here that it is done to.
  @discardableResult func perform(_ action: KeyAction) -> KeyDisposition
  /// Gives a key that stands before all bindings to whoever needs it: a filter, a question.
  /// - Returns: whether it was taken.
  func takesFirst(_ key: Key) -> Bool
  /// The keys that one that arrived was pressed as, where that is not the key itself; else empty.
  func partsOfChord(_ key: Key) -> [Key]
  /// Takes a key that is bound to nothing.
  func takesUnbound(_ key: Key)
  func paste(_ text: String)
  func handle(_ mouse: MouseEvent)
  /// Called before another sub-app is shown in its place.
  func leave()
  /// Goes to a page of it, and to a thing on that page; what is not there is left alone.
  func show(page: String, item: String)
  /// Goes to where somebody was in another one of the same kind, which it takes the place of.
  func takePlace(of other: any SubApp)
}

extension SubApp {
  package var acceptedActions: Set<KeyAction>? { nil }
  package var keyWords: String { "" }
  package func partsOfChord(_ key: Key) -> [Key] { [] }
  package func leave() {}
  package func show(page: String, item: String) {}
  package func takePlace(of other: any SubApp) {}
}

/// Makes one sub-app from its parts: the abstract factory (flows.md, "Shell").
///
/// To add a sub-app: a folder with its panes and its factory, and one line in `FullScreen.subApps`.
package protocol SubAppFactory {
  /// Its name and place among the tabs.
  static var tab: SubAppTab { get }
  /// The colour it is known by.
  var accent: StyleRole { get }
  /// What it does that not every sub-app does: who asks for it elsewhere is told of it.
  var actions: Set<KeyAction> { get }
  /// Called when it is first opened.
  func makeSubApp(in frame: ShellFrame) -> any SubApp
}

extension SubAppFactory {
  var tab: SubAppTab { Self.tab }
  package var actions: Set<KeyAction> { [] }
}

/// A sub-app as the program registers it: its tab is known before there is an account, and its factory is made for one.
package struct SubAppRegistration<Account> {
  package let tab: SubAppTab
  package let factory: (Account) -> any SubAppFactory

  package init<Factory: SubAppFactory>(_ factory: @escaping (Account) -> Factory) {
    tab = Factory.tab
    self.factory = factory
  }
}

/// A pane that a sub-app is put together from: it can have the focus and takes actions.
package protocol SubAppPane: Pane {
  /// The bindings that hold while it has the focus.
  var context: KeyBinding.Context { get }
  var isFocused: Bool { get set }
  /// The actions that the hint bar tells of; `nil`: all that its context has.
  var hintedActions: Set<KeyAction>? { get }
  /// What the hint bar calls actions that are something else here, by what is selected: keys of `Resources/locales`.
  var hintKeys: [KeyAction: String] { get }
  /// The actions of its context that it does something for: help tells of no other; `nil`: all of them.
  var acceptedActions: Set<KeyAction>? { get }
  /// Where the words are for what keys do here, as `SubApp.keyWords`.
  var keyWords: String { get }
  /// Whether it has the screen to itself: then it draws no border.
  var isPage: Bool { get set }
  /// Takes a key before all bindings, as where text is typed into it.
  func takesFirst(_ key: Key) -> Bool
  func perform(_ action: KeyAction) -> KeyDisposition
  /// Goes to where somebody was in another one of the same kind: what was open, selected, looked for, and how far it was
  /// scrolled.
  func takePlace(of other: any SubAppPane)
}

extension SubAppPane {
  package var context: KeyBinding.Context { .list }
  package var keyWords: String { "" }
  package var hintedActions: Set<KeyAction>? { nil }
  package var hintKeys: [KeyAction: String] { [:] }
  package var acceptedActions: Set<KeyAction>? { nil }
  package func takesFirst(_ key: Key) -> Bool { false }
  package func takePlace(of other: any SubAppPane) {}
}

extension Set<KeyAction> {
  /// Going about in a list.
  static let moves: Self = [.selectNext, .selectPrevious, .selectFirst, .selectLast]
}
