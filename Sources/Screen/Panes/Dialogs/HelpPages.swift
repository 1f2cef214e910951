import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// Builds the pages of the help from the current tables, so that it cannot be wrong.
package enum HelpPages {
  /// - Parameters:
  ///   - tabs: the existing tabs, from the left.
  ///   - context: the context of the pane from which help was opened.
  ///   - accepted: the actions of that context that the pane performs; `nil`: all of them.
  ///   - keyTexts: the prefix of the pane's own key descriptions (`SubApp.keyTexts`).
  ///   - commands: the slash commands with their arguments and descriptions.
  ///   - other: further pages, such as the one about stored data.
  package static func pages(
    bindings: KeyBindingTable, tabs: [SubAppTab], context: KeyBinding.Context,
    accepted: Set<KeyAction>? = nil, keyTexts: String = "", commands: [HelpEntry],
    localizer: Localizer, other: [HelpPage] = []
  ) -> [HelpPage] {
    let bindings = bindings.reaching(tabs)
    let spelling = KeySpelling(localizer: localizer)
    let isAccepted = { (binding: KeyBinding) in
      // Help works in every pane.
      accepted?.contains(binding.action) ?? true || binding.action == .help
    }
    // A key that the pane binds itself is listed there, and not here as well.
    let reachable = bindings.bindings(in: .everywhere).compactMap { binding in
      let sequences = binding.sequences.filter { keys in
        let match = bindings.match(keys, in: context)
        // With an empty input, Tab and Shift+Tab move the focus.
        return match == .action(binding.action)
          || [.nextPane, .previousPane].contains(binding.action)
      }
      return sequences.isEmpty
        ? nil
        : KeyBinding(
          binding.action, in: binding.context, hinted: binding.isHinted, sequences: sequences)
    }
    let everywhere = HelpSection(
      heading: localizer("help.everywhere"),
      entries: self.entries(reachable, tabs: tabs, spelling: spelling, localizer: localizer))
    let paneName = name(of: context, localizer)
    var sections = [everywhere]
    if context != .everywhere {
      sections.insert(
        HelpSection(
          heading: localizer("help.thisPane"),
          entries: self.entries(
            bindings.bindings(in: context).filter(isAccepted), tabs: tabs, spelling: spelling,
            localizer: localizer, keyTexts: keyTexts)), at: 0)
    }
    let hasTwins = bindings.bindings.contains { binding in
      binding.sequences.contains { $0.count == 2 && $0[0] == .control("x") }
    }
    var pages = [
      HelpPage(
        id: localizer("help.topicKeys"), title: paneName, sections: sections,
        footer: hasTwins ? [localizer("help.noAlt")] : [])
    ]
    if !commands.isEmpty {
      pages.append(
        HelpPage(
          id: localizer("help.topicCommands"), title: localizer("help.commands"),
          sections: [HelpSection(heading: localizer("help.commandsHeading"), entries: commands)],
          footer: [localizer("help.commandsNote")]))
    }
    // An action that this pane does not perform may work in another pane of its kind. Text editing
    // has its own page.
    let others = KeyBinding.Context.allCases.filter { ![.everywhere, .editing].contains($0) }
    let otherSections = others.compactMap { other in
      let section = HelpSection(
        heading: name(of: other, localizer),
        entries: self.entries(
          bindings.bindings(in: other).filter { other != context || !isAccepted($0) },
          tabs: tabs, spelling: spelling, localizer: localizer))
      return section.entries.isEmpty ? nil : section
    }
    if !otherSections.isEmpty {
      pages.append(
        HelpPage(
          id: localizer("help.topicPanes"), title: localizer("help.otherPanes"),
          sections: otherSections))
    }
    return pages + other
  }

  /// The page about stored data, with the same facts as the guide's third page.
  package static func privacy(localizer: Localizer, dataDirectory: String) -> HelpPage {
    HelpPage(
      id: localizer("help.topicPrivacy"), title: localizer("help.privacy"),
      sections: [
        HelpSection(
          heading: localizer("guide.privacy"),
          entries: [
            HelpEntry(localizer("guide.messages"), dataDirectory),
            HelpEntry(localizer("guide.password"), localizer("guide.passwordText")),
            HelpEntry(localizer("guide.log"), localizer("guide.logText")),
            HelpEntry(localizer("guide.network"), localizer("guide.networkText")),
            HelpEntry(localizer("guide.server"), localizer("guide.serverText")),
          ])
      ])
  }

  /// All keys that edit text in any text field, without those that have another binding in the
  /// input line.
  package static func editing(_ bindings: KeyBindingTable, localizer: Localizer) -> HelpPage {
    // In a text with content, these keys go to the ends of the line.
    let shared: Set<Key> = [Key(.home), Key(.end)]
    let free = bindings.bindings(in: .editing).compactMap { binding -> KeyBinding? in
      let sequences = binding.sequences.filter { keys in
        keys.count == 1 && shared.contains(keys[0])
          || bindings.match(keys, in: .input) == .action(binding.action)
      }
      return sequences.isEmpty
        ? nil : KeyBinding(binding.action, in: .editing, hinted: false, sequences: sequences)
    }
    return HelpPage(
      id: localizer("help.topicEditing"), title: localizer("help.editing"),
      sections: [
        HelpSection(
          heading: localizer("help.contextInput"),
          entries: entries(
            free, spelling: KeySpelling(localizer: localizer), localizer: localizer, showsAll: true)
        )
      ])
  }

  /// The keys of vi in the input line, for users who enabled them.
  package static func vi(localizer: Localizer) -> HelpPage {
    let keys = [
      ("h l 0 ^ $ w b e", "help.viMove"), ("f F t T ; ,", "help.viFind"),
      ("j k gg G", "help.viLines"), ("d c y", "help.viOperators"),
      ("x X D C Y s S r ~ J", "help.viChange"), ("p P", "help.viPut"),
      ("i a I A o O", "help.viText"), ("u ^R .", "help.viUndo"), ("3", "help.viNumbers"),
      ("Alt+w", "help.viChords"),
    ]
    return HelpPage(
      id: localizer("help.topicVi"), title: localizer("help.vi"),
      sections: [
        HelpSection(
          heading: localizer("help.contextInput"),
          entries: keys.map { HelpEntry($0, localizer($1)) })
      ])
  }

  /// The entry of the tab keys; the first five are written as a range.
  private static func entry(
    of tabs: [SubAppTab], _ bindings: [KeyBinding], spelling: KeySpelling, localizer: Localizer
  ) -> HelpEntry {
    let keys = tabs.compactMap { tab in
      bindings.first { $0.action == KeyAction.opening(tab) }?.sequences.first.map { spelling($0) }
    }
    let row = keys.prefix(5)
    let ends = row.count < 3 ? row.joined(separator: ", ") : row[0] + ".." + row[row.count - 1]
    let names = tabs.map { $0.name(localizer) }
    return HelpEntry(
      ([ends] + keys.dropFirst(5)).joined(separator: ", "),
      localizer(
        "key.tabs",
        [
          "first": names.first ?? "", "second": names.dropFirst().first ?? "",
          "last": names.last ?? "",
        ]))
  }

  static func name(of context: KeyBinding.Context, _ localizer: Localizer) -> String {
    switch context {
    case .everywhere: localizer("help.contextEverywhere")
    case .input: localizer("help.contextInput")
    case .editing: localizer("help.editing")
    case .messages: localizer("help.contextMessages")
    case .list: localizer("help.contextList")
    }
  }

  /// One entry for each binding; the ten conversations share one, and so do the tabs.
  /// - Parameter showsAll: whether each has all its keys, and not only the shortest ones.
  private static func entries(
    _ bindings: [KeyBinding], tabs: [SubAppTab] = [], spelling: KeySpelling,
    localizer: Localizer, keyTexts: String = "", showsAll: Bool = false
  ) -> [HelpEntry] {
    let numbers: Set<KeyAction> = [
      .conversation2, .conversation3, .conversation4, .conversation5, .conversation6,
      .conversation7, .conversation8, .conversation9, .conversation10,
    ]
    return bindings.compactMap { binding in
      let synonyms = localizer.synonyms(of: binding.descriptionKey)
      if numbers.contains(binding.action) || KeyAction.tabs.dropFirst().contains(binding.action) {
        return nil
      }
      if binding.action == .tab1 {
        return entry(of: tabs, bindings, spelling: spelling, localizer: localizer)
      }
      if binding.action == .conversation1 {
        let last = bindings.last { numbers.contains($0.action) } ?? binding
        let keys = [binding, last].compactMap { $0.sequences.first.map { spelling($0) } }
        return HelpEntry(keys.joined(separator: ".."), localizer("help.conversations"))
      }
      if showsAll {
        let keys = binding.sequences.map { spelling($0) }.joined(separator: ", ")
        return HelpEntry(keys, localizer(binding.descriptionKey), synonyms: synonyms)
      }
      var keys = binding.sequences.filter { $0.count == 1 }.prefix(2).map { spelling($0) }
      // The second key is listed only if the column of keys stays narrow.
      if keys.count == 2, keys.joined(separator: ", ").columns > 12 { keys.removeLast() }
      let all = keys.isEmpty ? binding.sequences.prefix(1).map { spelling($0) } : Array(keys)
      guard !all.isEmpty else { return nil }
      return HelpEntry(
        all.joined(separator: ", "), binding.action.description(at: keyTexts, localizer),
        synonyms: synonyms)
    }
  }
}
