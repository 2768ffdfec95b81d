import type { Question } from './answer.ts'
import { brand, capital } from './words.ts'

const firstParts = ['Bright', 'North', 'Clear', 'Prime', 'Fern', 'Stone', 'Blue', 'Swift', 'True', 'Lumen', 'Harbor', 'Oak']
const lastParts = ['path', 'field', 'works', 'loop', 'craft', 'nest', 'line', 'forge', 'wave', 'point', 'yard', 'mark']

/** Names for the trades that people try first; anything else is put together from parts. */
const trades: [words: RegExp, names: readonly string[]][] = [
  [
    /\b(bikes?|bicycles?|cycl\w+)\b/,
    [
      'Spokeway',
      'Freewheel Fix',
      'Chain & Go',
      'Pedalpoint',
      'Curbside Cycles',
      'Roundtrip Repairs',
      'Ridewell',
      'Truing Stand',
      'Tailwind Works',
      'Doorstep Gears',
    ],
  ],
  [
    /\b(flowers?|florist\w*|plants?|garden\w*)\b/,
    [
      'Stem & Stone',
      'Petalwright',
      'Wild Tuesday',
      'Fernhouse',
      'The Green Hour',
      'Bloomery',
      'Thistle & Thyme',
      'Rootwise',
      'Meadow Lane',
      'Larkspur Studio',
    ],
  ],
  [
    /\b(coffee|caf[eé]s?|roast\w*)\b/,
    [
      'Second Crack',
      'Slowpour',
      'Morning Ledger',
      'Bean & Bearing',
      'Ember Roasters',
      'Crema House',
      'The Early Cup',
      'Copperkettle',
      'Northlight Coffee',
      'Grindstone',
    ],
  ],
  [
    /\b(baker\w*|bread|cakes?|pastr\w+)\b/,
    [
      'Crumb & Crust',
      'Risewell',
      'Flour Street',
      'The Warm Loaf',
      'Proof & Butter',
      'Oatcake',
      'First Batch',
      'Sugarline',
      'Millhouse',
      'Golden Hour Bakes',
    ],
  ],
  [
    /\b(tea)\b/,
    [
      'Steepwell',
      'Leaf & Ledger',
      'The Long Infusion',
      'Kettleside',
      'Oolong House',
      'Quiet Cup',
      'Teawright',
      'Second Steep',
      'Jasmine Row',
      'Amber Leaf',
    ],
  ],
  [
    /\b(book-?keep\w*|account\w*|tax(es)?|finance\w*)\b/,
    [
      'Clearledger',
      'Tallywell',
      'Evenbooks',
      'The Tidy Ledger',
      'Sumline',
      'Countersign',
      'Balancewright',
      'Penny & Page',
      'Fairfigure',
      'Northcolumn',
    ],
  ],
  [
    /\b(salon|hair\w*|barber\w*|beauty|nails?)\b/,
    [
      'Fringe & Co',
      'Combwell',
      'The Quiet Chair',
      'Parting Line',
      'Halo Studio',
      'Copper Shears',
      'Softcut',
      'Mirror Hour',
      'Strand & Stone',
      'Bevel',
    ],
  ],
  [
    /\b(yoga|fitness|gym|pilates|coach\w*)\b/,
    [
      'Evenbreath',
      'Strongday',
      'The Open Mat',
      'Kindle Fitness',
      'Steadfast',
      'Morning Form',
      'Breathwork Yard',
      'Upright',
      'Second Wind',
      'Groundline',
    ],
  ],
  [
    /\b(dogs?|cats?|pets?)\b/,
    [
      'Waggle Walks',
      'Muddy Paws',
      'The Good Dog Club',
      'Whiskerwell',
      'Fetch & Rest',
      'Pawprint Lane',
      'Tailspin',
      'Biscuit House',
      'Leadside',
      'Happy Returns',
    ],
  ],
  [
    /\b(clean\w*|laundry)\b/,
    [
      'Brightfloor',
      'Spotless Tuesday',
      'Freshline',
      'The Tidy Crew',
      'Clearpane',
      'Second Shine',
      'Homewell',
      'Dustless',
      'Linen & Light',
      'Swept',
    ],
  ],
  [
    /\b(photo\w*|film|video\w*)\b/,
    [
      'Stillframe',
      'Golden Aperture',
      'Northlight Pictures',
      'Frame & Field',
      'The Long Exposure',
      'Lumen Studio',
      'Afterglow',
      'True Focus',
      'Shutterwell',
      'Plain Light',
    ],
  ],
]

export function names(question: Question): string {
  const said = /\b(\d{1,2}|five|eight)\b/i.exec(`${question.text} ${question.system}`)?.[1]?.toLowerCase() ?? '8'
  const count = Math.min(Math.max(said === 'five' ? 5 : said === 'eight' ? 8 : Number(said), 1), 12)
  const made = namesFor(question, count)
  const because = /\breason\b/i.test(question.system)
  return made.map((name, index) => `${index + 1}. ${because ? `**${name}**: ${reasons[index % reasons.length]}` : name}`).join('\n')
}

function namesFor(question: Question, count: number): string[] {
  const trade = trades.find(([words]) => words.test(question.topic.toLowerCase()))?.[1]
  const known = trade ? rotated(trade, question.pick(trade.map((_, index) => index))) : []
  const stem = brand(question.topic)
    .replace(/[^A-Za-z]/g, '')
    .slice(0, 7)
  const start = question.pick(firstParts.map((_, index) => index))
  const put = Array.from({ length: count }, (_, index) => {
    const first = firstParts[(start + index) % firstParts.length]!
    const last = lastParts[(start + index * 5) % lastParts.length]!
    return index % 3 === 2 && stem ? capital(stem.toLowerCase()) + last : first + last
  })
  return [...known, ...put].slice(0, count)
}

const rotated = <T>(all: readonly T[], by: number): T[] => [...all.slice(by), ...all.slice(0, by)]
const reasons = [
  'short, and easy to say on the phone',
  'says what you do without a second word',
  'warm, and it leaves room to grow',
  'sounds local and looks good on a sign',
  'a picture people remember',
]
