// Cell renderers of the grids. Values become text nodes or checked attributes, never HTML.
var dagcomponentfuncs = (window.dashAgGridComponentFunctions = window.dashAgGridComponentFunctions || {});

dagcomponentfuncs.CategoryBadge = function (props) {
  return React.createElement("span", { className: "badge badge-" + props.data.category }, props.value);
};

// A rule's id goes on in the next line behind one of its words, not within one.
function inWords(name) {
  const words = String(name ?? "").split(/(?<=[._])/);
  return words.flatMap((word, place) => (place ? [React.createElement("wbr", { key: place }), word] : [word]));
}

dagcomponentfuncs.FindingLink = function (props) {
  return React.createElement("a", { href: "/finding/" + encodeURIComponent(props.data.id) }, ...inWords(props.value));
};

dagcomponentfuncs.RuleId = function (props) {
  return React.createElement("span", null, ...inWords(props.value));
};

// A rule's name, which leads to the story, under its category.
dagcomponentfuncs.Rule = function (props) {
  return React.createElement(
    "div",
    { className: "rule-cell" },
    dagcomponentfuncs.CategoryBadge({ data: props.data, value: props.data.words }),
    dagcomponentfuncs.FindingLink(props)
  );
};

// A number that is sorted and filtered as such, shown in words.
dagcomponentfuncs.Words = function (props) {
  if (props.value === null || props.value === undefined) return null;
  return React.createElement("span", { title: props.value + " ms" }, props.data[props.colDef.field + "_words"]);
};

// An instant in ms: the viewer's zone, UTC on hover (assets/shell.js keeps it).
dagcomponentfuncs.Instant = function (props) {
  if (props.value === null || props.value === undefined) return React.createElement("span", { className: "dimmed" }, "unknown");
  return React.createElement("time", { "data-at": props.value, className: "mono" }, window.kipwatch.told(props.value, window.kipwatch.zone()));
};
