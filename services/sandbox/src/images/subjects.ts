// The subjects that the stand-in can draw, each in a box of 400 by 400 around the middle. `c` is the color that was asked for, `d` a darker one of it.

type Draw = (c: string, d: string) => string
export type Subject = { words: RegExp; color: string; draw: Draw }

const wheel = (x: number) =>
  `<g transform="translate(${x} 70)"><circle r="85" fill="none" stroke="#222" stroke-width="13"/><circle r="74" fill="none" stroke="#b8bcc4" stroke-width="4"/>${[0, 30, 60, 90, 120, 150].map((turn) => `<path d="M-74 0H74" stroke="#9aa0aa" stroke-width="2" transform="rotate(${turn})"/>`).join('')}<circle r="9" fill="#333"/></g>`
const eyes = (y: number, gap: number) =>
  `<circle cx="${-gap}" cy="${y}" r="11" fill="#1c1c1c"/><circle cx="${gap}" cy="${y}" r="11" fill="#1c1c1c"/><circle cx="${-gap + 4}" cy="${y - 4}" r="3.5" fill="#fff"/><circle cx="${gap + 4}" cy="${y - 4}" r="3.5" fill="#fff"/>`

export const subjects: Subject[] = [
  {
    words: /\b(?:bi(?:cycle|ke)s?|cycl\w+)\b/,
    color: '#c62f2f',
    draw: (c) =>
      `${wheel(-120)}${wheel(120)}<g fill="none" stroke="${c}" stroke-width="14" stroke-linecap="round" stroke-linejoin="round"><path d="M-120 70L-55-62H72L0 70H-120M-55-62L0 70M72-62L120 70M72-62L62-102"/></g><path d="M38-106H92q20 2 18 20" fill="none" stroke="#222" stroke-width="11" stroke-linecap="round"/><path d="M-68-68l-9-26" stroke="${c}" stroke-width="12"/><path d="M-112-100h68q8 0 8 8 0 7-8 7h-56q-14 0-12-15z" fill="#3a2a22"/><circle cy="70" r="21" fill="none" stroke="#444" stroke-width="8"/><path d="M0 70l22 34M0 70l-22-34" stroke="#555" stroke-width="7" stroke-linecap="round"/>`,
  },
  {
    words: /\b(?:cats?|kittens?)\b/,
    color: '#d98b3d',
    draw: (c, d) =>
      `<path d="M100 120q90-10 70-110" fill="none" stroke="${c}" stroke-width="32" stroke-linecap="round"/><ellipse cy="85" rx="108" ry="105" fill="${c}"/><ellipse cy="115" rx="58" ry="68" fill="#fff" opacity=".75"/><path d="M-98-78L-84-172-22-122zM98-78L84-172 22-122z" fill="${c}"/><path d="M-80-100l6-42 30 24zM80-100l-6-42-30 24z" fill="#f2b8b5"/><circle cy="-62" r="96" fill="${c}"/><path d="M-18-150l8 40M18-150l-8 40M0-156v44" stroke="${d}" stroke-width="9" stroke-linecap="round"/>${eyes(-72, 36)}<path d="M-9-42h18l-9 11z" fill="#d9737b"/><path d="M0-31q-4 20-24 16M0-31q4 20 24 16" fill="none" stroke="#3a2a22" stroke-width="4" stroke-linecap="round"/><path d="M-52-40l-62-12M-52-30l-62 6M52-40l62-12M52-30l62 6" stroke="#fff" stroke-width="3"/><ellipse cx="-42" cy="182" rx="36" ry="18" fill="${c}"/><ellipse cx="42" cy="182" rx="36" ry="18" fill="${c}"/>`,
  },
  {
    words: /\b(?:dogs?|pupp(?:y|ies))\b/,
    color: '#b07a45',
    draw: (c, d) =>
      `<ellipse cy="100" rx="104" ry="98" fill="${c}"/><ellipse cy="125" rx="56" ry="62" fill="#fff" opacity=".7"/><ellipse cy="-55" rx="100" ry="96" fill="${c}"/><path d="M-88-110q-64 10-52 120 54 14 66-70zM88-110q64 10 52 120-54 14-66-70z" fill="${d}"/>${eyes(-78, 38)}<ellipse cy="-20" rx="52" ry="40" fill="#fff" opacity=".85"/><ellipse cy="-40" rx="19" ry="14" fill="#221a18"/><path d="M0-26v14q-18 16-32 4M0-12q18 16 32 4" fill="none" stroke="#221a18" stroke-width="5" stroke-linecap="round"/><path d="M-12-2h24v20q-12 14-24 0z" fill="#e2788a"/><ellipse cx="-46" cy="184" rx="38" ry="19" fill="${c}"/><ellipse cx="46" cy="184" rx="38" ry="19" fill="${c}"/>`,
  },
  {
    words: /\b(?:cars?|automobiles?|vehicles?|taxis?)\b/,
    color: '#2f6fc6',
    draw: (c, d) =>
      `<path d="M-185 60v-42q0-22 24-28l50-10 52-62q8-10 22-10h76q14 0 24 10l50 58 54 14q22 6 22 28v42z" fill="${c}"/><path d="M-84-22l38-46q5-6 12-6h30v52zM10-74h32q8 0 13 6l38 46H10z" fill="#cfe6f7"/><path d="M-185 40h374v22h-374z" fill="${d}"/><rect x="160" y="0" width="26" height="18" rx="6" fill="#ffe9a8"/><rect x="-184" y="4" width="18" height="20" rx="5" fill="#e5484d"/>${[-105, 108].map((x) => `<circle cx="${x}" cy="66" r="42" fill="#1d1f24"/><circle cx="${x}" cy="66" r="20" fill="#c7ccd6"/>`).join('')}<path d="M28-4h26" stroke="${d}" stroke-width="6" stroke-linecap="round"/>`,
  },
  {
    words: /\b(?:headshot|portrait|person|man|woman|people|face|founder|team|ceo|girl|boy|employee|barista|chef)\b/,
    color: '#2d4a73',
    draw: (c, d) =>
      `<path d="M-190 200q6-110 100-128h180q94 18 100 128z" fill="${c}"/><path d="M-48 72L0 150 48 72z" fill="#f4f4f2"/><path d="M-14 96h28l10 70-24 32-24-32z" fill="${d}"/><rect x="-32" y="16" width="64" height="76" rx="26" fill="#d9a27e"/><ellipse cy="-52" rx="80" ry="98" fill="#e8b48f"/><path d="M-88-50q-10-118 88-118t88 118q-16-60-60-72-70 22-104 14-14 26-12 58z" fill="#3b2a20"/>${eyes(-52, 30)}<path d="M-46-78q16-10 30-2M46-78q-16-10-30-2" stroke="#3b2a20" stroke-width="6" fill="none" stroke-linecap="round"/><path d="M0-44q10 24-6 28" stroke="#c98d68" stroke-width="5" fill="none" stroke-linecap="round"/><path d="M-28 4q28 22 56 0" stroke="#a4544b" stroke-width="6" fill="none" stroke-linecap="round"/>`,
  },
  {
    words: /\b(?:coffee|latte|espresso|cups?|mugs?|tea|cappuccino)\b/,
    color: '#c9623f',
    draw: (c, d) =>
      `<g fill="none" stroke="#fff" stroke-width="9" stroke-linecap="round" opacity=".65"><path d="M-46-96q-22-28 0-52t0-44M4-96q-22-28 0-52t0-44M54-96q-22-28 0-52t0-44"/></g><ellipse cy="150" rx="180" ry="30" fill="${d}"/><ellipse cy="142" rx="180" ry="28" fill="${c}"/><path d="M-126-66h252v92q0 106-126 106T-126 26z" fill="${c}"/><path d="M124-30q66-8 62 44t-84 52" fill="none" stroke="${c}" stroke-width="24"/><ellipse cy="-66" rx="126" ry="30" fill="${d}"/><ellipse cy="-62" rx="112" ry="24" fill="#5a3320"/><path d="M0-46q-42-10-22-24 12-6 22 6 10-12 22-6 20 14-22 24z" fill="#d8b48c"/>`,
  },
  {
    words: /\b(?:bottles?|perfume|product|serum|shampoo|cosmetics?|skincare|jar)\b/,
    color: '#3f8f7a',
    draw: (c, d) =>
      `<ellipse cy="186" rx="170" ry="22" fill="#000" opacity=".16"/><rect x="-34" y="-186" width="68" height="58" rx="10" fill="#2a2a2d"/><rect x="-22" y="-134" width="44" height="34" fill="${d}"/><path d="M-88-40q0-66 66-66h44q66 0 66 66v200q0 26-26 26H-62q-26 0-26-26z" fill="${c}"/><path d="M-70-40q0-48 48-50v264h-30q-18 0-18-18z" fill="#fff" opacity=".25"/><rect x="-88" y="-6" width="176" height="112" fill="#fbfaf6"/><path d="M-50 26h100M-34 52h68M-24 74h48" stroke="${d}" stroke-width="8" stroke-linecap="round"/>`,
  },
  {
    words: /\b(?:logos?|brand mark|emblem|badge|icon)\b/,
    color: '#4b6b1f',
    draw: (c, d) =>
      `<circle r="168" fill="${c}"/><path d="M-98 70V-30q0-70 70-70h36" fill="none" stroke="#fff" stroke-width="30" stroke-linecap="round"/><path d="M-12-138l54 38-54 38" fill="none" stroke="#fff" stroke-width="30" stroke-linecap="round" stroke-linejoin="round"/><rect x="-40" y="30" width="120" height="36" rx="18" fill="#fff"/><rect x="-40" y="86" width="64" height="36" rx="18" fill="#fff" opacity=".75"/><circle r="168" fill="none" stroke="${d}" stroke-width="12"/>`,
  },
  {
    words: /\b(?:houses?|homes?|cottages?|cabins?|buildings?|real estate)\b/,
    color: '#d8b98a',
    draw: (c, d) =>
      `<rect x="-150" y="-40" width="300" height="220" fill="${c}"/><path d="M-186-30L0-176 186-30z" fill="#9c4433"/><rect x="76" y="-160" width="38" height="86" fill="#7e3a2d"/><rect x="-36" y="66" width="72" height="114" rx="6" fill="${d}"/><circle cx="20" cy="126" r="5" fill="#f4d35e"/>${[-120, 62].map((x) => `<rect x="${x}" y="-6" width="60" height="60" fill="#cfe9f7"/><path d="M${x + 30}-6v60M${x} 24h60" stroke="#fff" stroke-width="6"/>`).join('')}<path d="M-200 180h400" stroke="#5e7d3a" stroke-width="14" stroke-linecap="round"/>`,
  },
  {
    words: /\b(?:flowers?|roses?|tulips?|bouquets?|blossoms?|daisy|sunflowers?|florist)\b/,
    color: '#d6477e',
    draw: (c, d) =>
      `<path d="M0 190V10M0 120q-70-6-84-70 70-2 84 70M0 150q66-4 82-62-68-4-82 62" fill="#4f8a3c" stroke="#4f8a3c" stroke-width="10"/><g transform="translate(0 -50)">${[0, 45, 90, 135, 180, 225, 270, 315].map((turn) => `<ellipse cy="-74" rx="38" ry="62" fill="${c}" stroke="${d}" stroke-width="3" transform="rotate(${turn})"/>`).join('')}<circle r="42" fill="#f6c945"/><circle r="24" fill="#d99b1f"/></g>`,
  },
  {
    words: /\b(?:laptops?|computers?|desks?|office|workspace|software|app|website)\b/,
    color: '#2b2f38',
    draw: (c, d) =>
      `<rect x="-150" y="-130" width="300" height="200" rx="14" fill="${c}"/><rect x="-134" y="-114" width="268" height="168" fill="#eaf1f8"/><path d="M-112-84h110" stroke="${d}" stroke-width="12"/><path d="M-112-56h170M-112-36h140" stroke="#a9b6c6" stroke-width="7"/><path d="M-112 30V-6M-76 30v-24M-40 30V-12M-4 30V2M32 30v-38M68 30v-52M104 30v-72" stroke="#5b8def" stroke-width="20"/><path d="M-196 92h392l-22 26h-348z" fill="#c7ccd4"/><path d="M-40 92h80v8h-80z" fill="#8f96a1"/>`,
  },
  {
    words: /\b(?:rockets?|spaceships?|spacecraft|launch)\b/,
    color: '#e9ecf2',
    draw: (c, d) =>
      `<path d="M-32 120q32 90 64 0z" fill="#ffb02e"/><path d="M-18 120q18 56 36 0z" fill="#fff2c2"/><path d="M0-190q92 84 66 250l-20 66H-46l-20-66Q-92-106 0-190z" fill="${c}"/><path d="M-66 40l-62 70 12 32 62-36zM66 40l62 70-12 32-62-36z" fill="#d0433c"/><path d="M0-190q44 40 60 94H-60Q-44-150 0-190z" fill="#d0433c"/><circle cy="-30" r="38" fill="${d}"/><circle cy="-30" r="27" fill="#9bd4f5"/>`,
  },
  {
    words: /\b(?:cakes?|cupcakes?|dessert|bakery|birthday|bread|pastr(?:y|ies))\b/,
    color: '#f2a7b8',
    draw: (c, d) =>
      `<ellipse cy="168" rx="180" ry="26" fill="#dfe3e8"/><rect x="-140" y="30" width="280" height="130" rx="16" fill="#f6e3c5"/><path d="M-140 46q0-26 26-26h228q26 0 26 26v26q-18 34-46 6-24 38-48 0-24 34-48 0-24 38-48 0-26 32-44-4-28 28-46-2z" fill="${c}"/><rect x="-92" y="-80" width="184" height="102" rx="14" fill="#f6e3c5"/><path d="M-92-64q0-24 24-24H68q24 0 24 24v16q-16 28-40 4-20 32-50 0-22 28-46 2-32 24-48-4z" fill="${d}"/>${[-40, 0, 40].map((x) => `<rect x="${x - 6}" y="-140" width="12" height="52" fill="#7cc4e8"/><path d="M${x}-172q14 18 0 30-14-12 0-30z" fill="#ffb02e"/>`).join('')}`,
  },
  {
    words: /\b(?:birds?|parrots?|eagles?|owls?)\b/,
    color: '#3b8fc4',
    draw: (c, d) =>
      `<path d="M-180 150q180 20 360-30" stroke="#6d4a2e" stroke-width="16" fill="none" stroke-linecap="round"/><path d="M60 60l120 90-140-20z" fill="${d}"/><ellipse cx="-10" cy="30" rx="100" ry="84" fill="${c}" transform="rotate(30)"/><circle cx="-66" cy="-58" r="62" fill="${c}"/><path d="M-20-10q100 0 120 90-100 20-140-40z" fill="${d}"/><path d="M-122-66l-54 16 54 18z" fill="#f3a83b"/><circle cx="-80" cy="-70" r="11" fill="#111"/><circle cx="-77" cy="-74" r="4" fill="#fff"/><path d="M-20 110v34M14 108v34" stroke="#f3a83b" stroke-width="8"/>`,
  },
  {
    words: /\b(?:boats?|ships?|sail\w*|yachts?)\b/,
    color: '#b5432f',
    draw: (c, d) =>
      `<path d="M0 60V-180" stroke="#5b4633" stroke-width="12"/><path d="M12-170q120 90 130 210H12z" fill="#fbf8f0"/><path d="M-12-140q-84 80-92 180h92z" fill="#e9e2d2"/><path d="M-170 70h340q-20 90-90 90H-80q-70 0-90-90z" fill="${c}"/><path d="M-170 70h340l-6 22h-328z" fill="${d}"/>`,
  },
  {
    words: /\b(?:shoes?|sneakers?|trainers?|boots?)\b/,
    color: '#e5e7eb',
    draw: (c, d) =>
      `<path d="M-180 90V-40q30 20 70-20l40-40q60 70 130 90 110 20 118 100z" fill="${c}"/><path d="M-180 50q60 20 120-10 40-24 80 10 90 40 158 40H-180z" fill="${d}"/><path d="M-186 90h370q4 44-26 44h-320q-26 0-24-44z" fill="#fff" stroke="#c9ced6" stroke-width="4"/><path d="M-58-52l34 26M-30-28l36 22M0-6l38 16" stroke="#333" stroke-width="8" stroke-linecap="round"/>`,
  },
  {
    words: /\b(?:robots?|android|ai assistant|machine)\b/,
    color: '#9fb2c8',
    draw: (c, d) =>
      `<path d="M0-150v-34" stroke="${d}" stroke-width="10"/><circle cy="-188" r="13" fill="#c6f24e"/><rect x="-104" y="-150" width="208" height="150" rx="34" fill="${c}"/><rect x="-80" y="-122" width="160" height="86" rx="26" fill="#12151b"/><circle cx="-36" cy="-80" r="17" fill="#c6f24e"/><circle cx="36" cy="-80" r="17" fill="#c6f24e"/><rect x="-90" y="20" width="180" height="140" rx="26" fill="${c}"/><rect x="-44" y="52" width="88" height="56" rx="10" fill="${d}"/><path d="M-104 50q-60 20-52 90M104 50q60 20 52 90" stroke="${d}" stroke-width="24" fill="none" stroke-linecap="round"/><path d="M-44 160v34M44 160v34" stroke="${d}" stroke-width="32"/>`,
  },
  {
    words: /\b(?:trees?|oak|pine|plant|plants)\b/,
    color: '#3f8f4e',
    draw: (c, d) =>
      `<path d="M-22 190L-12 30h24l10 160z" fill="#6b4a31"/><circle cx="-70" cy="-10" r="80" fill="${d}"/><circle cx="72" cy="-4" r="78" fill="${d}"/><circle cy="-80" r="100" fill="${c}"/><circle cx="-30" cy="10" r="76" fill="${c}"/><circle cx="40" cy="20" r="70" fill="${c}"/>`,
  },
]

/** Drawn where no word is known: a still life in the prompt's own colors. */
export const anything: Draw = (c, d) =>
  `<ellipse cy="172" rx="190" ry="22" fill="#000" opacity=".14"/><path d="M-150 160V20q0-60 60-60t60 60v140z" fill="${c}"/><circle cx="60" cy="80" r="86" fill="${d}"/><path d="M40-150l86 130H-46z" fill="${c}" opacity=".8"/><circle cx="34" cy="52" r="26" fill="#fff" opacity=".3"/>`
