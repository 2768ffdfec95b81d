import { createHash } from 'node:crypto'
import { ResizeFit, Transformer } from '@napi-rs/image'
import { anything, subjects } from './subjects.ts'

export type Painting = { prompt: string; width: number; height: number; seed: number }

const colors: Record<string, string> = {
  red: '#c62f2f', orange: '#e07b22', yellow: '#e9c02f', green: '#3f8f4e', blue: '#2f6fc6', purple: '#7d4bb8', pink: '#e0699c', brown: '#7b5234',
  black: '#24262b', white: '#f3f2ee', gray: '#8a9099', grey: '#8a9099', gold: '#c99a2e', silver: '#b9bfc8', teal: '#2a8f8f', turquoise: '#37b3ab', navy: '#23365f',
  beige: '#d9c7a3', violet: '#8a5bd0', crimson: '#a81c38',
} // biome-ignore format: a table
const COLOR = new RegExp(`\\b(${Object.keys(colors).join('|')})\\b`)

type Scene = { words: RegExp; sky: [string, string]; ground: string; beyond: (dice: Dice) => string }
const scenes: Scene[] = [
  {
    words: /\b(?:sea|ocean|beach|coast|lake|island|harbou?r|boat|ship|yacht)\b/,
    sky: ['#8fd0ee', '#fdf1d6'],
    ground: '#2f8fb0',
    beyond: () =>
      `<circle cx="760" cy="330" r="70" fill="#fff3c4"/><path d="M0 640q125-24 250 0t250 0 250 0 250 0v70H0z" fill="#57b1c9" opacity=".7"/>`,
  },
  {
    words: /\b(?:mountains?|alps|hills?|landscapes?|valley|nature|hik\w+|forest|woods?)\b/,
    sky: ['#7db6e0', '#fbe3c8'],
    ground: '#5f8b4c',
    beyond: (dice) =>
      `<circle cx="${200 + dice(600)}" cy="240" r="62" fill="#ffe9a8"/><path d="M-20 700L${180 + dice(60)} 300l150 220 130-190 220 260 180-230 260 340z" fill="#6d7f9a"/><path d="M${180} 330l-50 90 40-14 28 30 30-40 30 20z" fill="#fff" opacity=".8"/><path d="M-20 720q220-150 460-60t580-40v120H-20z" fill="#4d7a52"/>`,
  },
  {
    words: /\b(?:city|skyline|street|downtown|urban|new york|office|tokyo|london)\b/,
    sky: ['#5b7fae', '#f6cfa6'],
    ground: '#565b66',
    beyond: (dice) =>
      Array.from({ length: 11 }, (_, at) => {
        const height = 180 + dice(280)
        const windows = Array.from(
          { length: 8 },
          (_, n) =>
            `<rect x="${at * 95 + 14 + (n % 2) * 34}" y="${700 - height + 24 + (n >> 1) * 44}" width="18" height="24" fill="#ffe9a8" opacity=".${4 + dice(5)}"/>`,
        )
        return `<rect x="${at * 95}" y="${700 - height}" width="84" height="${height}" fill="#${['3d4a63', '4a5874', '34405a'][dice(3)]}"/>${windows.join('')}`
      }).join(''),
  },
  {
    words: /\b(?:space|galaxy|stars?|planets?|moon|night|cosmos)\b/,
    sky: ['#0b1030', '#3a2468'],
    ground: '#2a2350',
    beyond: (dice) =>
      `${Array.from({ length: 90 }, () => `<circle cx="${dice(1000)}" cy="${dice(700)}" r="${1 + dice(3)}" fill="#fff" opacity=".${3 + dice(6)}"/>`).join('')}<circle cx="800" cy="230" r="90" fill="#e8b37a"/><path d="M660 270q140 40 280-70" stroke="#f4dcb4" stroke-width="12" fill="none"/>`,
  },
  {
    words: /\b(?:walls?|bricks?)\b/,
    sky: ['#e3b23c', '#d69c28'],
    ground: '#b9a48a',
    beyond: () =>
      Array.from(
        { length: 12 },
        (_, row) => `<path d="M${row % 2 ? -60 : 0} ${row * 60}h1200" stroke="#000" stroke-opacity=".08" stroke-width="3"/>`,
      ).join(''),
  },
  {
    words: /\b(?:studio|product|headshot|portrait|logo|white background|professional)\b/,
    sky: ['#f1efea', '#dcd8d0'],
    ground: '#cfcac0',
    beyond: () => '<ellipse cx="500" cy="420" rx="460" ry="380" fill="#fff" opacity=".35"/>',
  },
]
const plain: Scene = {
  words: /$/,
  sky: ['#dfe9f1', '#f7eee0'],
  ground: '#c9bda9',
  beyond: (dice) =>
    Array.from({ length: 5 }, () => `<circle cx="${dice(1000)}" cy="${dice(640)}" r="${60 + dice(140)}" fill="#fff" opacity=".2"/>`).join(
      '',
    ),
}

/** The effect of each style: a veil over the picture, and the look of the subject's edge. */
const styles: [words: RegExp, veil: string, edge: string][] = [
  [
    /vintage|retro|film grain/,
    '<rect width="1000" height="1000" fill="#8a5a1e" opacity=".28"/><rect width="1000" height="1000" fill="url(#edge)"/>',
    '',
  ],
  [
    /futuristic|neon|cyber/,
    '<rect width="1000" height="1000" fill="#3b0f8f" opacity=".3"/><path d="M0 800h1000M0 850h1000M0 910h1000M500 760L120 1000M500 760L880 1000M500 760v240" stroke="#3df5e0" stroke-width="3" opacity=".7"/>',
    'stroke="#3df5e0" stroke-width="3"',
  ],
  [/cartoon|illustration/, '', 'stroke="#1b1b1b" stroke-width="5" stroke-linejoin="round"'],
  [/artistic|painterly|brush/, '<g opacity=".16">STROKES</g>', ''],
  [/professional|studio/, '<rect width="1000" height="1000" fill="url(#edge)" opacity=".35"/>', ''],
]

type Dice = (most: number) => number
function diceOf(text: string): Dice {
  let state = createHash('sha256').update(text).digest().readUInt32LE(0) || 1
  return (most) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % most
  }
}

/** The same order gives the same picture: what the prompt names, in the color, the place and the style that it says. */
function svgOf({ prompt, width, height, seed }: Painting): string {
  const words = prompt.toLowerCase()
  const dice = diceOf(`${words}|${seed}`)
  const subject = subjects.find((each) => each.words.test(words))
  const scene = scenes.find((each) => each.words.test(words)) ?? plain
  const asked = (subject && colorBefore(words, subject.words)) ?? COLOR.exec(words.replace(PLACE, ''))?.[1]
  const color = asked ? colors[asked]! : (subject?.color ?? Object.values(colors)[dice(9)]!)
  const behind = colorOfPlace(words) ?? scene.sky[0]
  const style = styles.find(([named]) => named.test(words.split('style:')[1] ?? words))
  const scale = 1.05 + dice(30) / 100
  const isScenery = !subject && scene !== plain && /landscape|mountain|forest|city|skyline|sea|ocean|beach|space|galaxy|nature/.test(words)
  const drawn = isScenery ? '' : (subject?.draw ?? anything)(color, darker(color))
  const strokes = Array.from(
    { length: 60 },
    () => `<path d="M${dice(1000)} ${dice(1000)}q60-30 120 0" stroke="#fff" stroke-width="${8 + dice(14)}" fill="none"/>`,
  ).join('')
  // Scaled by hand to cover the picture: the renderer does not cut a view box.
  const fit = Math.max(width, height) / 1000
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<g transform="translate(${(width - 1000 * fit) / 2} ${(height - 1000 * fit) / 2}) scale(${fit})">
<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${behind}"/><stop offset="1" stop-color="${colorOfPlace(words) ? darker(behind) : scene.sky[1]}"/></linearGradient>
<linearGradient id="ground" x2="0" y2="1"><stop stop-color="${scene.ground}"/><stop offset="1" stop-color="${darker(scene.ground)}"/></linearGradient>
<radialGradient id="edge" r=".75"><stop offset=".55" stop-opacity="0"/><stop offset="1" stop-opacity=".45"/></radialGradient></defs>
<rect width="1000" height="1000" fill="url(#sky)"/>${scene.beyond(dice)}<rect y="700" width="1000" height="300" fill="url(#ground)"/>
<g transform="translate(${480 + dice(41)} ${isScenery ? 500 : 560}) scale(${scale.toFixed(2)})" ${style?.[2] ?? ''}>${drawn ? '<ellipse cy="196" rx="190" ry="20" fill="#000" opacity=".22" stroke="none"/>' : ''}${drawn}</g>
${(style?.[1] ?? '').replace('STROKES', strokes)}</g></svg>`
}

/** `a red bicycle against a yellow wall`: the color nearest before the thing is its own. */
function colorBefore(words: string, thing: RegExp): string | undefined {
  const at = words.search(thing)
  return words
    .slice(Math.max(0, at - 40), at)
    .split(/[,.]/)
    .at(-1)
    ?.match(new RegExp(COLOR.source, 'g'))
    ?.at(-1)
}
const PLACE = new RegExp(`${COLOR.source}\\s+(?:\\w+ )?(?:wall|background|backdrop|sky)`)
function colorOfPlace(words: string): string | undefined {
  const found = PLACE.exec(words)?.[1]
  return found && colors[found]
}
function darker(color: string): string {
  const parts = [1, 3, 5].map((at) => Math.round(Number.parseInt(color.slice(at, at + 2), 16) * 0.68))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** The renderer enlarges small drawings, so the size is set afterwards. */
const drawn = (painting: Painting, width: number, height: number) =>
  Transformer.fromSvg(svgOf(painting)).fastResize({ width, height, fit: ResizeFit.Fill })

export const paint = (painting: Painting): Promise<Buffer> => drawn(painting, painting.width, painting.height).png()

/** Over an earlier picture: only where the mask is transparent, or without one as a veil over all of it. */
export async function paintOver(painting: Painting, source: Uint8Array, mask: Uint8Array | undefined): Promise<Buffer> {
  const { width, height } = painting
  const pixelsOf = async (png: Uint8Array) => {
    const pixels = await new Transformer(png).fastResize({ width, height, fit: ResizeFit.Cover }).rawPixels()
    return { pixels, step: pixels.length / (width * height) }
  }
  const [below, above, cut] = await Promise.all([pixelsOf(source), pixelsOf(await paint(painting)), mask ? pixelsOf(mask) : null])
  const all = new Uint8Array(width * height * 4)
  for (let at = 0; at < width * height; at++) {
    const share = cut ? 1 - (cut.step === 4 ? cut.pixels[at * 4 + 3]! : 255) / 255 : 0.6
    for (let channel = 0; channel < 3; channel++)
      all[at * 4 + channel] = Math.round(
        below.pixels[at * below.step + channel]! * (1 - share) + above.pixels[at * above.step + channel]! * share,
      )
    all[at * 4 + 3] = 255
  }
  return Transformer.fromRgbaPixels(all, width, height).png()
}

/** A picture enlarged, its edges a little sharper. */
export const enlarge = (source: Uint8Array, width: number, height: number): Promise<Buffer> =>
  new Transformer(source).fastResize({ width, height, fit: ResizeFit.Fill }).unsharpen(1.2, 4).png()

/** The same, unfinished: `share` of the way from a blur to the picture. */
export const paintPart = (painting: Painting, share: number): Promise<Buffer> =>
  drawn(painting, Math.max(16, painting.width >> 2), Math.max(16, painting.height >> 2))
    .blur(10 * (1 - share) + 0.5)
    .png()
/** A seed for an order that brings none. */
export const seedOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32LE(4) % 2_147_483_647

export const sizeOf = (picture: Uint8Array) => new Transformer(picture).metadata()

export async function isOtherSize(one: Uint8Array, other: Uint8Array): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(sizeOf))
  return a!.width !== b!.width || a!.height !== b!.height
}
