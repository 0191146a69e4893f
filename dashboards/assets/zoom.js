// A second click on a drawing shows all of it. The browser counts the clicks: Plotly forgets the first one where that
// selected a mark and the drawing was drawn anew, and in a busy browser takes the second for a single one.
(function () {
  document.addEventListener("click", function (event) {
    var plot = event.detail === 2 && event.target.closest(".drawn .js-plotly-plot");
    if (plot) window.Plotly.relayout(plot, { "xaxis.autorange": true });
  });
})();
