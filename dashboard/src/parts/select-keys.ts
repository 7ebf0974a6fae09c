/**
 * Home, End and letters move through the options of an open select that has no search, as they do in a select of the
 * browser. Mantine moves by one option only, so the listener repeats its arrow key. The listener belongs to the
 * document, because it serves all selects and loads after the first view.
 */
function moveInSelect(event: KeyboardEvent): void {
  const { target: field, key, ctrlKey, altKey, metaKey } = event;
  if (!(field instanceof HTMLInputElement) || !field.readOnly || field.ariaExpanded !== 'true') return;
  const list = document.getElementById(field.getAttribute('aria-controls') ?? '');
  const options = [...(list?.querySelectorAll<HTMLElement>('[role=option]:not([data-combobox-disabled])') ?? [])];
  const at = options.findIndex((option) => option.hasAttribute('data-combobox-selected'));
  const begins = ({ innerText }: HTMLElement): boolean => innerText.trim().toLowerCase().startsWith(key.toLowerCase());
  const isLetter = key.length === 1 && key !== ' ' && !ctrlKey && !altKey && !metaKey;
  const named = isLetter ? [...options.slice(at + 1), ...options].find(begins) : undefined;
  const to = key === 'Home' ? options[0] : key === 'End' ? options.at(-1) : named;
  if (!to) return;
  event.preventDefault();
  const steps = options.indexOf(to) - at;
  const arrow = { key: 'ArrowDown', code: 'ArrowDown', bubbles: true, cancelable: true };
  for (let step = 0; step < (steps < 0 ? steps + options.length : steps); step++)
    field.dispatchEvent(new KeyboardEvent('keydown', arrow));
}

addEventListener('keydown', moveInSelect);
