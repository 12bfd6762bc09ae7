// Formulas in labels of diagrams are shown as they are written: drawing them would take a
// second program for formulas and its fonts.
export default { renderToString: (tex) => tex.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`) };
