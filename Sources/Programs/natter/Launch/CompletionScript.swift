/// The completion script of a shell for the command line of `natter`: printed by `--completion`.
struct CompletionScript {
  /// The supported shells.
  enum Shell: String, CaseIterable { case bash, zsh, fish }

  /// The value of an option.
  enum Value: Equatable {
    case none, file, other
    case words([String])
  }

  /// Every option for users, in its long form.
  static let options = CommandLineOption.all.map { (name: $0.name, value: $0.value) }

  private static var commands: String { CommandLineOptions.commandNames.joined(separator: " ") }

  /// The commands that follow `natter scripts`.
  private static var verbs: String { ScriptsRequest.verbs.joined(separator: " ") }

  /// The script for `shell`, with a line feed at the end.
  static func text(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private static func names(_ isWanted: (Value) -> Bool) -> String {
    options.filter { isWanted($0.value) }.map(\.name).joined(separator: "|")
  }

  private static var choices: [(name: String, words: String)] {
    options.compactMap { option in
      if case .words(let words) = option.value {
        (option.name, words.joined(separator: " "))
      } else {
        nil
      }
    }
  }

  // A file's name may have blanks and line feeds: it is never split.
  private static var bash: String {
    let cases = choices.map { #"    \#($0.name)) words="\#($0.words)" ;;"# }
    return #"""
      # natter --completion bash: source this in ~/.bashrc, or save it as natter in bash-completion's folder.
      _natter() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words= command= each
        COMPREPLY=()
        # readline also splits words at the equals character.
        if [ "$word" = = ]; then word=; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
        for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          case $each in \#(commands.replacing(" ", with: "|"))) command=$each ;; esac
        done
        case $before in
      \#(cases.joined(separator: "\n"))
          \#(names { $0 == .file }))
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return ;;
          \#(names { $0 == .other })) return ;;
          theme) words=check ;;
          scripts)
            case $word in
              -*) words="\#(options.map(\.name).joined(separator: " "))" ;;
              *) words="\#(verbs)" ;;
            esac ;;
          check)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return ;;
          *)
            case $word in
              -*) words="\#(options.map(\.name).joined(separator: " "))" ;;
              *)
                if [ "$command" = import ]; then
                  compopt -o filenames 2>/dev/null
                  mapfile -t COMPREPLY < <(compgen -f -- "$word")
                  return
                fi
                [ -n "$command" ] || words="\#(commands)" ;;
            esac ;;
        esac
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
      }
      complete -F _natter natter

      """#
  }

  private static var zsh: String {
    let arguments = options.map { option in
      switch option.value {
      case .none: "'\(option.name)'"
      case .file: "'\(option.name)=:file:_files'"
      case .other: "'\(option.name)=:value:'"
      case .words(let words): "'\(option.name)=:value:(\(words.joined(separator: " ")))'"
      }
    }
    return #"""
      #compdef natter
      # natter --completion zsh: source this in ~/.zshrc after compinit, or save it as _natter in a folder of $fpath.
      _natter() {
        _arguments \
          \#(arguments.joined(separator: " \\\n    ")) \
          '1:command:(\#(commands))' '*::rest:_natter_rest'
      }
      _natter_rest() {
        case $words[1] in
          theme) if (( CURRENT == 2 )); then compadd check; else _files; fi ;;
          scripts)
            if (( CURRENT == 2 )); then compadd \#(verbs)
            elif [[ $words[2] = check ]]; then _files -/; fi ;;
          import) _files ;;
        esac
      }
      if [ "$funcstack[1]" = _natter ]; then _natter "$@"; else compdef _natter natter; fi

      """#
  }

  private static var fish: String {
    let lines = options.map { option in
      let name = "complete -c natter -l \(option.name.dropFirst(2))"
      return switch option.value {
      case .none: name
      case .file: "\(name) -r -F"
      case .other: "\(name) -x"
      case .words(let words): "\(name) -x -a '\(words.joined(separator: " "))'"
      }
    }
    return #"""
      # natter --completion fish: save this as ~/.config/fish/completions/natter.fish.
      complete -c natter -f
      complete -c natter -n __fish_use_subcommand -a '\#(commands)'
      complete -c natter -n '__fish_seen_subcommand_from theme' -a check
      complete -c natter -n '__fish_seen_subcommand_from scripts' -a '\#(verbs)'
      complete -c natter -n '__fish_seen_subcommand_from check' -F
      complete -c natter -n '__fish_seen_subcommand_from import' -F
      \#(lines.joined(separator: "\n"))

      """#
  }
}
