import { importedCell } from '../../../contract/csv.ts';
import type { ImportField } from '../../../contract/dashboard/imports.ts';
import type { Fault } from '../../../contract/problems.ts';
import { cutText } from '../../../contract/cut-text.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { tagsIn } from './resolve.ts';

/**
 * The usual meaning of a column heading in the languages of our users. Spaces, punctuation and case of a heading are
 * ignored.
 */
const KNOWN: Record<ImportField, string[]> = {
  external_id: ['externalid', 'customerid', 'userid', 'crmid', 'id', 'المعرفالخارجي', 'رقمالعميل', 'ग्राहकआईडी'],
  name: ['name', 'fullname', 'customername', 'الاسم', 'الاسمالكامل', 'नाम', 'पूरानाम'],
  email: ['email', 'mail', 'emailaddress', 'البريدالإلكتروني', 'البريد', 'ईमेल'],
  phone: ['phone', 'phonenumber', 'mobile', 'mobilenumber', 'telephone', 'whatsapp', 'الهاتف', 'الجوال', 'رقمالهاتف', 'رقمالجوال', 'फ़ोन', 'मोबाइल'],
  locale: ['locale', 'language', 'lang', 'اللغة', 'भाषा'],
  time_zone: ['timezone', 'tz', 'المنطقةالزمنية', 'समयक्षेत्र'],
  tags: ['tags', 'tag', 'labels', 'الوسوم', 'टैग'],
  blocked: ['blocked', 'محظور'],
}; // prettier-ignore

/** The likely field of each column. Each field is used once, at the first column that matches. */
export function suggestColumns(header: readonly string[]): (string | null)[] {
  const usedFields = new Set<string>();
  return header.map((heading) => {
    const name = heading.trim();
    const plain = name.toLowerCase().replaceAll(/[\s_.-]/g, '');
    const field = name.startsWith('attributes.')
      ? cutText(name, 'attributes.'.length + 64)
      : Object.entries(KNOWN).find(([, names]) => names.includes(plain))?.[0];
    if (field === undefined || field === 'attributes.' || usedFields.has(field)) return null;
    usedFields.add(field);
    return field;
  });
}

const YES = new Set(['true', 'yes', '1', 'نعم', 'हाँ']);
const NO = new Set(['false', 'no', '0', 'لا', 'नहीं']);

/** Converts one row to a person, or to its faults. An empty cell does not change the stored value. */
export function personOf(
  cells: readonly string[],
  columns: readonly (string | null)[],
): { person: Record<string, unknown> } | { errors: Fault[] } {
  if (cells.length !== columns.length) {
    const detail = `Cells in the row: ${cells.length}, in the header: ${columns.length}. Check quotation marks and separators.`;
    return { errors: [{ pointer: '', code: 'columns', detail }] };
  }
  const fields: Record<string, unknown> = {};
  const attributes: [string, string][] = [];
  for (const [index, target] of columns.entries()) {
    const cell = target === null ? '' : importedCell(cells[index]!).trim();
    if (target === null || cell === '') continue;
    if (target.startsWith('attributes.')) attributes.push([target.slice('attributes.'.length), cell]);
    else if (target === 'tags') fields['tags'] = tagsIn(cell);
    else if (target === 'phone') fields['phone'] = phoneOf(cell);
    else if (target === 'blocked') {
      const blocked = YES.has(cell.toLowerCase()) ? true : NO.has(cell.toLowerCase()) ? false : null;
      if (blocked === null)
        return { errors: [{ pointer: '/blocked', code: 'type', detail: 'Must be yes or no, true or false, 1 or 0.' }] };
      fields['blocked'] = blocked;
    } else fields[target] = target === 'name' ? oneLine(cell) : cell;
  }
  if (attributes.length > 0) fields['attributes'] = Object.fromEntries(attributes);
  return { person: fields };
}

/** People write +97430000000 as `00974 3000-0000`. */
const phoneOf = (cell: string): string => cell.replaceAll(/[\s().\u00a0\u200e\u200f-]/g, '').replace(/^00/, '+');
