/**
 * Copies a text. Without a clipboard API (a page over plain http), the old command of browsers is used. If the old
 * command fails too, the text is selected. Returns which of the three ways succeeded.
 */
export async function copyText(text: string, near: HTMLElement): Promise<'copied' | 'selected'> {
  try {
    if (!navigator.clipboard) throw new Error('No clipboard in an insecure context.');
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return copyBySelection(text, near);
  }
}

/** The temporary field is next to the button, because a dialog removes the focus from elements outside of it. */
function copyBySelection(text: string, near: HTMLElement): 'copied' | 'selected' {
  const visible = near.closest('[data-copy-scope]')?.querySelector<HTMLElement>('[data-copy-source]');
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.setAttribute('aria-hidden', 'true');
  field.style.cssText = 'position:fixed;inset-block-start:0;opacity:0;pointer-events:none';
  near.after(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  near.focus();
  if (done) return 'copied';
  if (visible instanceof HTMLInputElement) visible.select();
  else if (visible) getSelection()?.selectAllChildren(visible);
  return 'selected';
}
