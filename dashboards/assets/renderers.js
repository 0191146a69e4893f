// Cell renderers of the grids. Values become text nodes or checked attributes, never HTML.
var dagcomponentfuncs = (window.dashAgGridComponentFunctions = window.dashAgGridComponentFunctions || {});

dagcomponentfuncs.CategoryBadge = function (props) {
  return React.createElement("span", { className: "badge badge-" + props.value }, props.data.words);
};

dagcomponentfuncs.FindingLink = function (props) {
  return React.createElement("a", { href: "/finding/" + encodeURIComponent(props.data.id) }, props.value);
};
