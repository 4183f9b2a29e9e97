/** The rules for products, the same as the worker's (OpenMarket/ProductConstraints.swift): each returns the name of an error. */
const segments = new Intl.Segmenter();
/** The number of characters as people count them: an emoji of several parts is one. */
export const characters = (text) => [...segments.segment(text.trim())].length;

export const limits = { name: 3, description: [10, 1_000], images: 5, imageBytes: 8 << 20 };

/** Reads a number with separators, blanks and decimals after a point; NaN for anything else. */
export function number(text) {
  const plain = text.replace(/[,\s_]/g, '');
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}

export const rules = {
  name: ({ name }) => (characters(name) < limits.name ? 'short' : null),
  description({ description }) {
    const count = characters(description);
    return count < limits.description[0] ? 'short' : count > limits.description[1] ? 'long' : null;
  },
  price: ({ price }) => (number(price) > 0 ? null : 'positive'),
  discountedPrice({ discountedPrice, price }) {
    if (!discountedPrice.trim()) return null;
    const discount = number(discountedPrice);
    if (!(discount >= 0)) return 'amount';
    return discount > number(price) ? 'more' : null;
  },
  stock({ stock }) {
    if (!stock.trim()) return null;
    return Number.isSafeInteger(number(stock)) && number(stock) >= 0 ? null : 'whole';
  },
};

/** The name of the error of a file as a product's image, judged by its size and its first bytes. */
export async function imageFault(file) {
  if (file.size > limits.imageBytes) return 'large';
  const [a, b, c, d] = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const isImage = (a === 0xff && b === 0xd8 && c === 0xff) || (a === 0x89 && b === 0x50 && c === 0x4e && d === 0x47);
  return isImage ? null : 'kind';
}
