/**
 * Positions an element of the top layer next to its anchor, on the side with more space and inside the window. The top
 * layer is never cut off by a scrolling table, and needs no library.
 */
const GAP = 6;
const MARGIN = 8;

export function placeBeside(anchor: HTMLElement, panel: HTMLElement, align: 'start' | 'center' | 'end'): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const below = at.bottom + GAP + height <= innerHeight - MARGIN || at.top < innerHeight - at.bottom;
  const isRight = getComputedStyle(anchor).direction === 'rtl' ? align === 'start' : align === 'end';
  const left = align === 'center' ? at.left + (at.width - width) / 2 : isRight ? at.right - width : at.left;
  panel.style.top = `${below ? at.bottom + GAP : Math.max(MARGIN, at.top - GAP - height)}px`;
  panel.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN))}px`;
}
