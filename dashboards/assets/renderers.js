// Cell renderers of the grids. Values become text nodes or checked attributes, never HTML.
var dagcomponentfuncs = (window.dashAgGridComponentFunctions = window.dashAgGridComponentFunctions || {});

dagcomponentfuncs.CategoryBadge = function (props) {
  return React.createElement("span", { className: "badge badge-" + props.data.category }, props.value);
};

dagcomponentfuncs.FindingLink = function (props) {
  return React.createElement("a", { href: "/finding/" + encodeURIComponent(props.data.id) }, props.value);
};

// A number that is sorted and filtered as such, shown in words.
dagcomponentfuncs.Words = function (props) {
  return React.createElement("span", { title: props.value + " ms" }, props.data[props.colDef.field + "_words"]);
};
