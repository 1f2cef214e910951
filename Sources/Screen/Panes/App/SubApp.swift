import Keys
import Terminal
import ViewModels

/// A sub-app on the screen: its panes, their frames, and the focus.
///
/// The desktop shows one at a time and passes it everything that is not for all of them. A sub-app
/// keeps its state while another is shown.
package protocol SubApp: AnyObject {
  /// The context of the bindings that apply now.
  var context: KeyBinding.Context { get }
  /// The actions of the context that the focused pane performs; `nil`: all of them.
  var acceptedActions: Set<KeyAction>? { get }
  /// The prefix of key descriptions that apply only here: the texts of `Resources/locales` under
  /// `key.<this>` take precedence over those of any list; empty where there are none.
  var keyTexts: String { get }
  /// The pane with the focus, for the hardware cursor.
  var focusedPane: any Pane { get }
  /// Returns the frames of all panes on a screen of `size`; updates hints and focus.
  func placements(in size: Size) -> [Placement]
  /// Performs an action.
  /// - Returns: `.ignored` when there is nothing here that it applies to.
  @discardableResult func perform(_ action: KeyAction) -> KeyDisposition
  /// Offers a key before all bindings, for a filter or a question.
  /// - Returns: whether it was taken.
  func takesFirst(_ key: Key) -> Bool
  /// The keys that were pressed to make a chord that arrived, if they differ from it; else empty.
  func partsOfChord(_ key: Key) -> [Key]
  /// Takes a key that is bound to nothing.
  func takesUnbound(_ key: Key)
  func paste(_ text: String)
  func handle(_ mouse: MouseEvent)
  /// Called before another sub-app is shown instead.
  func leave()
  /// Goes to one of its pages, and to an item of that page; does nothing if they do not exist.
  func show(page: String, item: String)
  /// Restores the state of another sub-app of the same kind, which it replaces.
  func restore(from other: any SubApp)
}

extension SubApp {
  package var acceptedActions: Set<KeyAction>? { nil }
  package var keyTexts: String { "" }
  package func partsOfChord(_ key: Key) -> [Key] { [] }
  package func leave() {}
  package func show(page: String, item: String) {}
  package func restore(from other: any SubApp) {}
}

/// Creates one sub-app from its parts: the abstract factory (flows.md, "Shell").
///
/// To add a sub-app: a folder with its panes and its factory, and one line in `FullScreen.subApps`.
package protocol SubAppFactory {
  /// Its name and position among the tabs.
  static var tab: SubAppTab { get }
  /// Its accent colour.
  var accent: StyleRole { get }
  /// The actions that not every sub-app performs; elsewhere, a notice points to this tab.
  var actions: Set<KeyAction> { get }
  /// Called when the sub-app is first opened.
  func makeSubApp(in frame: ShellFrame) -> any SubApp
}

extension SubAppFactory {
  var tab: SubAppTab { Self.tab }
  package var actions: Set<KeyAction> { [] }
}

/// A sub-app as the program registers it: its tab is known before there is an account, and its
/// factory is made for one account.
package struct SubAppRegistration<Account> {
  package let tab: SubAppTab
  package let factory: (Account) -> any SubAppFactory

  /// - Parameter factory: creates the factory for an account.
  package init<Factory: SubAppFactory>(_ factory: @escaping (Account) -> Factory) {
    tab = Factory.tab
    self.factory = factory
  }
}

/// A pane of a sub-app that can have the focus and performs actions.
package protocol SubAppPane: Pane {
  /// The context of the bindings while it has the focus.
  var context: KeyBinding.Context { get }
  var isFocused: Bool { get set }
  /// The actions in the hint bar; `nil`: all actions of its context.
  var hintedActions: Set<KeyAction>? { get }
  /// The hint bar's labels of actions that mean something else for the current selection: keys of
  /// `Resources/locales`.
  var hintKeys: [KeyAction: String] { get }
  /// The actions of its context that it performs, which are the ones that help lists; `nil`: all of
  /// them.
  var acceptedActions: Set<KeyAction>? { get }
  /// The prefix of key descriptions that apply only here, as `SubApp.keyTexts`.
  var keyTexts: String { get }
  /// Indicates whether it has the whole screen: then it draws no border.
  var isPage: Bool { get set }
  /// Takes a key before all bindings, for example while text is typed into the pane.
  func takesFirst(_ key: Key) -> Bool
  func perform(_ action: KeyAction) -> KeyDisposition
  /// Restores the state of another pane of the same kind: the open item, the selection, the filter
  /// and the scroll position.
  func restore(from other: any SubAppPane)
}

extension SubAppPane {
  package var context: KeyBinding.Context { .list }
  package var keyTexts: String { "" }
  package var hintedActions: Set<KeyAction>? { nil }
  package var hintKeys: [KeyAction: String] { [:] }
  package var acceptedActions: Set<KeyAction>? { nil }
  package func takesFirst(_ key: Key) -> Bool { false }
  package func restore(from other: any SubAppPane) {}
}

extension Set<KeyAction> {
  /// The actions that move the selection of a list.
  static let moves: Self = [.selectNext, .selectPrevious, .selectFirst, .selectLast]
}
