// Times in figures: drawn in UTC, told in the zone of the texts beside them. Only words are set; the axis stays as it is, so
// that a zoom means the same in any zone. Exact where a clock is set back or forward: every word comes from an instant.
(function () {
  var CLOCK = /\d\d:\d\d(:\d\d(\.\d{1,3})?)?/;
  var CLOCKS = /\d\d:\d\d:\d\d\.\d{3}/g;
  var MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
  var DAY_FIRST = new RegExp("\\b\\d{1,2} (" + MONTHS + ")\\b");
  var MONTH_FIRST = new RegExp("\\b(" + MONTHS + ") \\d{1,2}(, \\d{4})?");
  var DAY_MS = 86400000;

  // 2026-11-21 13:00:00.000 in a zone.
  function told(ms, zone) {
    return window.kipwatch.told(ms, zone, "date and time");
  }

  // Plotly's instants: ms, or words of UTC.
  function instant(value) {
    return typeof value === "number" ? value : Date.parse(String(value).replace(" ", "T") + (/T| /.test(value) ? "Z" : ""));
  }

  // A tick's words for another zone; each line of them by itself. whole: all lines.
  function tick(words, whole, ms, zone) {
    var there = told(ms, zone);
    var month = MONTHS.split("|")[Number(there.slice(5, 7)) - 1], day = String(Number(there.slice(8, 10)));
    var dated = words
      .replace(CLOCK, function (found) { return there.slice(11, 11 + found.length); })
      .replace(DAY_FIRST, function (found) { return (found.length === 6 ? there.slice(8, 10) : day) + " " + month; })
      .replace(MONTH_FIRST, function (_, _month, year) { return month + " " + day + (year ? ", " + there.slice(0, 4) : ""); });
    // A day's tick stands at midnight of UTC.
    return CLOCK.test(whole) || dated === words && !/\d/.test(words) || there.slice(11, 16) === "00:00" ? dated : dated + " " + there.slice(11, 16);
  }

  // A title: "UTC, 2026-11-21; 5 s shown". ms: where its axis begins.
  function title(words, ms, zone) {
    return words.replace("UTC", zone).replace(/\d{4}-\d\d-\d\d/, told(ms, zone).slice(0, 10));
  }

  // A line of words: each clock is taken for the instant of that time which is nearest.
  function clocks(words, near, zone) {
    return words.replace(/ UTC$/, "").replace(CLOCKS, function (found) {
      var parts = found.split(/[:.]/).map(Number);
      var ofDay = ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000 + parts[3];
      var away = ((ofDay - near) % DAY_MS + DAY_MS * 1.5) % DAY_MS - DAY_MS / 2;
      return told(near + away, zone).slice(11);
    });
  }

  // What Plotly wrote is kept beside what is written over it: it draws anew whenever it likes.
  function rewrite(text, change) {
    var lines = text.querySelectorAll("tspan.line");
    var leaves = lines.length ? Array.from(lines) : [text];
    leaves.forEach(function (leaf) {
      if (leaf.kipwatchSaid === undefined || leaf.kipwatchSaid !== leaf.textContent) leaf.kipwatchDrawn = leaf.textContent;
    });
    var whole = leaves.map(function (leaf) { return leaf.kipwatchDrawn; }).join(" ");
    leaves.forEach(function (leaf) {
      leaf.kipwatchSaid = change(leaf.kipwatchDrawn, whole);
      if (leaf.textContent !== leaf.kipwatchSaid) leaf.textContent = leaf.kipwatchSaid;
    });
  }

  function axis(plot, letter, zone) {
    var of = plot._fullLayout && plot._fullLayout[letter + "axis"];
    if (!of || of.type !== "date" || of.visible === false) return;
    var begins = instant(of.range[0]);
    plot.querySelectorAll("." + letter + "tick text").forEach(function (text) {
      var ms = text.__data__ && Number(text.__data__.x);
      if (isFinite(ms)) rewrite(text, function (words, whole) { return zone === "UTC" ? words : tick(words, whole, ms, zone); });
    });
    plot.querySelectorAll("text." + letter + "title").forEach(function (text) {
      rewrite(text, function (words) { return zone === "UTC" ? words : title(words, begins, zone); });
    });
  }

  function hovers(plot, zone) {
    var point = (plot._hoverdata || [])[0];
    if (!point) return;
    var known = (point.customdata || [])[2], of = plot._fullLayout.xaxis;
    var near = typeof known === "number" ? known : of && of.type === "date" ? instant(point.x) : NaN;
    if (of && of.type === "date") {
      var range = of.range.map(instant);
      if (!(near >= range[0] - DAY_MS && near <= range[1] + DAY_MS)) near = range[0];
    }
    if (!isFinite(near)) return;
    plot.querySelectorAll(".hoverlayer text").forEach(function (text) {
      rewrite(text, function (words) { return zone === "UTC" ? words : clocks(words, near, zone); });
    });
  }

  function annotations(plot, zone) {
    var at = ((plot._fullLayout || {}).meta || {}).at || [];
    plot.querySelectorAll(".annotation").forEach(function (one) {
      var near = at[Number(one.dataset.index)];
      if (typeof near !== "number") return;
      one.querySelectorAll("text").forEach(function (text) {
        rewrite(text, function (words) { return zone === "UTC" ? words : clocks(words, near, zone); });
      });
    });
  }

  window.kipwatch = Object.assign(window.kipwatch || {}, {
    figures: function (zone) {
      document.querySelectorAll(".js-plotly-plot").forEach(function (plot) {
        axis(plot, "x", zone);
        axis(plot, "y", zone);
        annotations(plot, zone);
        hovers(plot, zone);
      });
    },
  });
})();
