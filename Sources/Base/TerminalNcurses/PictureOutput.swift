import FoundationEssentials
import Terminal

/// The pictures on the screen, and the bytes that change them to others.
nonisolated struct PictureOutput {
  /// The output that gives a frame its pictures.
  struct Change: Equatable {
    /// The bytes before and after the cells of the frame.
    var before = ""
    var after = ""
    /// The rows whose cells have to be rewritten, which removes a picture.
    var rows: [Range<Int>] = []
    /// Each of those rows. (Frames without pictures avoid the array of ranges: its type makes the
    /// runtime search all protocol conformances once.)
    var uncovered: [Int] { rows.flatMap { $0 } }
    var isEmpty: Bool { before.isEmpty && after.isEmpty && rows.isEmpty }
  }

  let form: PictureProtocol
  /// The pictures on the screen, by the number of their placement.
  private var shown: [PositionedPicture: Int] = [:]
  /// The pictures that the terminal stores, the last displayed at the end.
  private var held: [UInt32] = []
  private var lastNumber = 0

  /// The number of stored pictures above which hidden ones are deleted from the terminal.
  private static let heldLimit = 24
  /// The characters of Base64 in one piece (kitty graphics protocol, "Remote client").
  private static let pieceSize = 4096

  init(_ form: PictureProtocol) { self.form = form }

  /// Changes the pictures on the screen to `wanted`.
  /// - Parameters:
  ///   - isRedrawn: whether all cells are rewritten, which removes pictures.
  ///   - hasChanged: returns whether any cell of a row is rewritten.
  mutating func change(
    to wanted: [PositionedPicture], isRedrawn: Bool, hasChanged: (Int) -> Bool = { _ in false }
  ) -> Change {
    guard !wanted.isEmpty || !shown.isEmpty else { return Change() }
    return switch form {
    case .kitty: kittyChange(to: wanted, isRedrawn: isRedrawn)
    case .iterm2: iterm2Change(to: wanted, isRedrawn: isRedrawn)
    case .sixel: sixelChange(to: wanted, isRedrawn: isRedrawn, hasChanged: hasChanged)
    }
  }

  /// The rows that have pictures.
  var rows: [Range<Int>] {
    shown.keys.map(\.rows).sorted {
      ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound)
    }
  }

  /// Removes every picture, and returns the bytes for that.
  mutating func end() -> String {
    defer { (shown, held) = ([:], []) }
    return form == .kitty ? held.map { Self.kitty("a=d,d=I,i=\($0)") }.joined() : ""
  }

  // MARK: kitty

  private mutating func kittyChange(to wanted: [PositionedPicture], isRedrawn: Bool) -> Change {
    var change = Change()
    for (positioned, number) in shown where isRedrawn || !wanted.contains(positioned) {
      change.before += Self.kitty("a=d,d=i,i=\(positioned.picture.id),p=\(number)")
      shown[positioned] = nil
    }
    for positioned in wanted where shown[positioned] == nil {
      let picture = positioned.picture
      if let index = held.firstIndex(of: picture.id) {
        held.remove(at: index)
      } else {
        change.after += Self.transmission(of: picture)
      }
      held.append(picture.id)
      lastNumber += 1
      shown[positioned] = lastNumber
      let size = positioned.rect.size
      let rows = positioned.pixelRows
      let part =
        positioned.isWhole ? "" : ",x=0,y=\(rows.lowerBound),w=\(picture.width),h=\(rows.count)"
      change.after += Self.at(
        positioned.rect.origin,
        Self.kitty(
          "a=p,C=1,i=\(picture.id),p=\(lastNumber),c=\(size.columns),r=\(size.rows)\(part)"))
    }
    let visible = Set(wanted.map(\.picture.id))
    while held.count > Self.heldLimit, let index = held.firstIndex(where: { !visible.contains($0) })
    {
      change.after += Self.kitty("a=d,d=I,i=\(held.remove(at: index))")
    }
    return change
  }

  private static func transmission(of picture: Picture) -> String {
    let start = "a=t,f=100,i=\(picture.id)"
    switch picture.source {
    case .sixels: return ""
    case .file(let path):
      return kitty(start + ",t=f", Data(path.utf8).base64EncodedString())
    case .bytes(let bytes):
      let text = Array(Data(bytes).base64EncodedString().utf8)
      var result = ""
      var first = 0
      repeat {
        let end = min(text.count, first + pieceSize)
        let hasMore = end < text.count ? 1 : 0
        let piece = String(decoding: text[first..<end], as: UTF8.self)
        result += kitty(first == 0 ? start + ",t=d,m=\(hasMore)" : "m=\(hasMore)", piece)
        first = end
      } while first < text.count
      return result
    }
  }

  /// Returns a command of the kitty graphics protocol; `q=2` suppresses the answer.
  private static func kitty(_ control: String, _ payload: String = "") -> String {
    "\u{1B}_Gq=2,\(control)\(payload.isEmpty ? "" : ";" + payload)\u{1B}\\"
  }

  // MARK: iTerm2

  /// Returns the change for iTerm2. Its pictures are part of the cells: writing the cells removes
  /// them, and all of them are drawn again then.
  private mutating func iterm2Change(to wanted: [PositionedPicture], isRedrawn: Bool) -> Change {
    let whole = wanted.filter(\.isWhole)
    guard isRedrawn || Set(whole) != Set(shown.keys) else { return Change() }
    var change = Change()
    change.rows = rows
    shown = [:]
    for positioned in whole {
      guard case .bytes(let bytes) = positioned.picture.source else { continue }
      shown[positioned] = 0
      let size = positioned.rect.size
      change.after += Self.at(
        positioned.rect.origin,
        "\u{1B}]1337;File=inline=1;size=\(bytes.count);width=\(size.columns);height=\(size.rows);"
          + "preserveAspectRatio=0;doNotMoveCursor=1:\(Data(bytes).base64EncodedString())\u{7}")
    }
    return change
  }

  // MARK: Sixels

  /// Returns the change for sixels. They are above the cells or part of them, depending on the
  /// terminal: output on them removes them, and so may output beside them in the same row, because
  /// ncurses decides where it writes.
  private mutating func sixelChange(
    to wanted: [PositionedPicture], isRedrawn: Bool, hasChanged: (Int) -> Bool
  ) -> Change {
    let wanted = wanted.filter(\.isWhole)
    var change = Change()
    for positioned in shown.keys
    where isRedrawn || !wanted.contains(positioned) || positioned.rows.contains(where: hasChanged) {
      change.rows.append(positioned.rows)
      shown[positioned] = nil
    }
    // A removed picture takes a part of those in the same rows with it.
    for positioned in shown.keys where change.rows.contains(where: { $0.overlaps(positioned.rows) })
    {
      change.rows.append(positioned.rows)
      shown[positioned] = nil
    }
    change.rows.sort { $0.lowerBound < $1.lowerBound }
    for positioned in wanted where shown[positioned] == nil {
      guard case .sixels(let sixels) = positioned.picture.source else { continue }
      shown[positioned] = 0
      change.after += Self.at(
        positioned.rect.origin, String(decoding: sixels.bytes, as: UTF8.self))
    }
    return change
  }

  /// Returns `text` with the cursor moved to a position before it and restored after it.
  private static func at(_ point: Point, _ text: String) -> String {
    "\u{1B}7\u{1B}[\(point.row + 1);\(point.column + 1)H\(text)\u{1B}8"
  }
}

extension PositionedPicture {
  /// The visible rows of cells.
  fileprivate nonisolated var rows: Range<Int> {
    rect.origin.row..<rect.origin.row + rect.size.rows
  }
}
