/// The countries and their larger cities, with their names in Natter's languages.
nonisolated package struct PlaceTable: Sendable {
  /// A country or a city.
  package struct Place: Hashable, Sendable {
    /// The country's code (ISO 3166-1).
    package let code: String
    /// The names in the order of the table's languages.
    package let names: [String]
  }

  package let countries: [Place]
  /// The cities in the format of the file: parsing those of all countries would be wasteful.
  private let cities: String
  /// The languages of the columns.
  private let tags: [String]

  /// Parses two tables of lines with a tab between code and names; `#` begins a comment, the last
  /// of which names the languages.
  package init(countries: String, cities: String) {
    let first = Self.rows(countries)
    tags = first.tags
    self.countries = first.places
    self.cities = cities
  }

  /// - Parameter code: the country whose lines are parsed; `nil`: all lines.
  private static func rows(_ text: String, of code: String? = nil) -> (
    tags: [String], places: [Place]
  ) {
    var tags: [String] = []
    var places: [Place] = []
    let start = code.map { Array("\($0)\t".utf8) } ?? []
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      guard line.first == UInt8(ascii: "#") || line.starts(with: start) else { continue }
      let line = Substring(line)
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      if line.hasPrefix("#") {
        if parts.count > 1 { tags = Array(parts.dropFirst()) }
      } else if parts.count == tags.count + 1, !parts[0].isEmpty {
        places.append(Place(code: parts[0], names: Array(parts.dropFirst())))
      }
    }
    return (tags, places)
  }

  /// Returns the name of a country or city in the language of that tag, or in English.
  package func name(of place: Place, in tag: String) -> String {
    place.names[tags.firstIndex(of: tag) ?? 0]
  }

  /// Returns the other names of a country or city as search terms.
  package func otherNames(of place: Place, in tag: String) -> String {
    var seen: Set = [name(of: place, in: tag)]
    return place.names.filter { seen.insert($0).inserted }.joined(separator: ", ")
  }

  /// Returns the country of that name, in any of the languages or by its code.
  package func country(called text: String) -> Place? {
    let wanted = text.trimmed.lowercased()
    guard !wanted.isEmpty else { return nil }
    return countries.first { country in
      country.code.lowercased() == wanted || country.names.contains { $0.lowercased() == wanted }
    }
  }

  /// Returns the larger cities of a country.
  package func cities(of country: Place) -> [Place] {
    Self.rows(cities, of: country.code).places
  }
}
