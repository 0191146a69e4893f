// The grid takes its colours from data-ag-theme-mode: keep it with the page's own scheme.
(function () {
  var root = document.documentElement;
  function follow() {
    root.setAttribute("data-ag-theme-mode", root.getAttribute("data-mantine-color-scheme") || "light");
  }
  new MutationObserver(follow).observe(root, { attributes: true, attributeFilter: ["data-mantine-color-scheme"] });
  follow();
})();
