/* "Copy link" on every page: the clipboard API exists on https only, and a classroom's network has plain http. */

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text); // no secure context, or no leave
  }
}

function copyBySelection(text) {
  const field = Object.assign(document.createElement("textarea"), { value: text, className: "vh", readOnly: true });
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
