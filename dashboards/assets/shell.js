// The frame's own behaviour in the browser. Only texts and attributes are set, never HTML.
(function () {
  var ZONE_KEY = "kipwatch-zone";
  var ARROWS = ["Next page", "Last page", "First page", "Previous page"]; // from the last but one on, around
  var local = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

  function zone() {
    return localStorage.getItem(ZONE_KEY) === "UTC" ? "UTC" : local;
  }

  // 2026-11-21 13:00:00.000 in a zone; parts of fixed width, so that columns stay columns.
  function told(ms, name, parts) {
    var fields = { timeZone: name, hourCycle: "h23", hour: "2-digit", minute: "2-digit", second: "2-digit" };
    if (parts !== "clock") fields.fractionalSecondDigits = 3;
    if (parts !== "time" && parts !== "clock") Object.assign(fields, { year: "numeric", month: "2-digit", day: "2-digit" });
    return new Intl.DateTimeFormat("sv-SE", fields).format(new Date(ms)).replace(",", ".");
  }

  // As transforms.diagnose.words.span says it.
  function span(ms) {
    if (ms < 0) return "-" + span(-ms);
    if (ms < 60000) return Math.floor(ms / 1000) + " s";
    if (ms < 3600000) return Math.floor(ms / 60000) + " min " + Math.floor((ms % 60000) / 1000) + " s";
    if (ms < 172800000) return Math.floor(ms / 3600000) + " h " + Math.floor((ms % 3600000) / 60000) + " min";
    return Math.floor(ms / 86400000) + " days";
  }

  function say(element, text, title) {
    if (element.textContent !== text) element.textContent = text;
    if (title !== undefined && element.title !== title) element.title = title;
  }

  function follow() {
    var here = zone();
    var other = here === "UTC" ? local : "UTC";
    document.querySelectorAll("time[data-at]").forEach(function (element) {
      var ms = Number(element.dataset.at);
      say(element, told(ms, here, element.dataset.parts), told(ms, other) + " " + other);
    });
    var now = Date.now();
    document.querySelectorAll("[data-age-of]").forEach(function (element) {
      var old = now - Number(element.dataset.ageOf);
      say(element, span(Math.abs(old)) + (old < 0 ? " ahead of this clock" : " " + element.dataset.after));
      element.parentElement.classList.toggle("stale", old > Number(element.dataset.staleMs || Infinity));
    });
    document.querySelectorAll("[data-until]").forEach(function (element) {
      var left = Number(element.dataset.until) - now;
      if (element.dataset.from === undefined) return say(element, left < 0 ? span(-left) + " past" : span(left) + " left");
      var part = Math.min(1, Math.max(0, left / (Number(element.dataset.until) - Number(element.dataset.from) || 1)));
      element.firstElementChild.style.width = 100 * part + "%";
      element.classList.toggle("near", part <= 0.2);
    });
    // A list is called what stands above it.
    document.querySelectorAll(":is(.ag-root, main table):not([aria-label])").forEach(function (list) {
      var around = list.closest("section, .list") || document.getElementById("app-page");
      var heading = around && around.querySelector("h1, h2, h3, h4");
      if (heading) list.setAttribute("aria-label", heading.textContent);
    });
    // What scrolls is scrolled by keyboard, too.
    document.querySelectorAll("#app-page :is(.log-text, .settings)").forEach(function (part) {
      var scrolls = part.scrollHeight > part.clientHeight || part.scrollWidth > part.clientWidth;
      if (scrolls !== part.hasAttribute("tabindex")) scrolls ? (part.tabIndex = 0) : part.removeAttribute("tabindex");
    });
    // The arrows to other pages of a list have no words.
    document.querySelectorAll(".mantine-Pagination-root").forEach(function (pages) {
      var buttons = Array.from(pages.querySelectorAll("button"));
      ARROWS.forEach(function (words, n) { buttons.at(n - 2).setAttribute("aria-label", words); });
    });
    if (window.kipwatch.figures) window.kipwatch.figures(here);
    var button = document.getElementById("app-zone");
    if (button) say(button, here === local && local !== "UTC" ? local : "UTC");
  }

  var due = false;
  function soon() {
    if (due) return;
    due = true;
    requestAnimationFrame(function () { due = false; follow(); });
  }
  new MutationObserver(soon).observe(document.documentElement, { childList: true, subtree: true });
  setInterval(follow, 1000);
  document.addEventListener("click", function (event) {
    if (event.target.id !== "app-zone") return;
    localStorage.setItem(ZONE_KEY, zone() === "UTC" ? "local" : "UTC");
    follow();
  });

  document.addEventListener("keydown", function (event) {
    if (event.key !== "Escape" || !document.querySelector("#app-pages.open")) return;
    var menu = document.getElementById("app-menu");
    menu.click();
    menu.focus();
  });

  window.kipwatch = Object.assign(window.kipwatch || {}, { told: told, zone: zone, span: span });
  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    shell: {
      // The menu of a small screen opens by its button, and closes when a page is chosen.
      menu: function (opened, _path, navbar) {
        var chose = dash_clientside.callback_context.triggered.some(function (one) { return one.prop_id === "app-url.pathname"; });
        var open = Boolean(opened) && !chose;
        return [Object.assign({}, navbar, { collapsed: { mobile: !open } }), open, String(open), open ? "open" : ""];
      },
    },
  });
})();
