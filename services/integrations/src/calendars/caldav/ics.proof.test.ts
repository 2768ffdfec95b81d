import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { eventOf, eventsIn, fileWith } from './ics.ts'
import { datesOf, ruleIn } from './recur.ts'

const reading = { from: '2026-10-01T00:00:00Z', until: '2027-06-01T00:00:00Z', user: 'maya@example.com', zone: null, windowed: true }
const file = (lines: string[], id = '/dav/maya/home/a.ics') => ({
  id,
  etag: '"1"',
  modified: null,
  data: ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n'),
})
const event = (...lines: string[]) => ['BEGIN:VEVENT', 'UID:a', 'DTSTAMP:20261001T000000Z', ...lines, 'END:VEVENT']
const read = (lines: string[], more = {}) => eventsIn(ICAL, file(lines), { ...reading, ...more })
const starts = (lines: string[], more = {}) => read(lines, more).map(({ starts_at }) => starts_at!.replace(':00.000Z', ''))

test('a series keeps its hour on the wall over a change of the clocks, with its exceptions, in four zones [spec-131]', () => {
  const weekly = (zone: string, day: string) =>
    starts(event(`DTSTART;TZID=${zone}:${day}T093000`, `DTEND;TZID=${zone}:${day}T100000`, 'RRULE:FREQ=WEEKLY;COUNT=3'))
  expect(weekly('America/New_York', '20261025')).toEqual(['2026-10-25T13:30', '2026-11-01T14:30', '2026-11-08T14:30'])
  expect(weekly('Europe/Berlin', '20261018')).toEqual(['2026-10-18T07:30', '2026-10-25T08:30', '2026-11-01T08:30'])
  // Half an hour in Lord Howe, and none in Kolkata.
  expect(weekly('Australia/Lord_Howe', '20270328')).toEqual(['2027-03-27T22:30', '2027-04-03T23:00', '2027-04-10T23:00'])
  expect(weekly('Asia/Kolkata', '20261025')).toEqual(['2026-10-25T04:00', '2026-11-01T04:00', '2026-11-08T04:00'])

  const series = [
    ...event(
      ...[
        'DTSTART;TZID=Europe/Berlin:20261019T090000',
        'DURATION:PT45M',
        'SUMMARY:Standup',
        'RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20261104T080000Z',
      ],
      'EXDATE;TZID=Europe/Berlin:20261021T090000',
    ),
    // One that is moved, one that is free and one that is called off.
    ...event(
      'RECURRENCE-ID;TZID=Europe/Berlin:20261026T090000',
      'DTSTART;TZID=Europe/Berlin:20261027T150000',
      'DURATION:PT1H',
      'SUMMARY:Moved',
    ),
    ...event(
      'RECURRENCE-ID;TZID=Europe/Berlin:20261028T090000',
      'DTSTART;TZID=Europe/Berlin:20261028T090000',
      'DURATION:PT45M',
      'TRANSP:TRANSPARENT',
    ),
    ...event(
      'RECURRENCE-ID;TZID=Europe/Berlin:20261102T090000',
      'DTSTART;TZID=Europe/Berlin:20261102T090000',
      'DURATION:PT45M',
      'STATUS:CANCELLED',
    ),
  ]
  const dates = read(series)
    .sort((one, other) => (one.starts_at! < other.starts_at! ? -1 : 1))
    .map(({ title, starts_at, ends_at, busy }) => [title, starts_at!.slice(5, 16), ends_at!.slice(11, 16), busy])
  expect(dates).toEqual([
    ['Standup', '10-19T07:00', '07:45', true],
    ['Moved', '10-27T14:00', '15:00', true],
    [null, '10-28T08:00', '08:45', false],
    ['Standup', '11-04T08:00', '08:45', true],
  ])
  expect(read(series).every(({ id, series: of, key }) => of === '/dav/maya/home/a.ics' && id.startsWith(`${of}#`) && key === null)).toBe(
    true,
  )
})

test('a time that comes twice is its first, and one that is left out is read by the clock before', () => {
  const at = (zone: string, time: string) => starts(event(`DTSTART;TZID=${zone}:${time}`))
  expect(at('America/New_York', '20261101T013000')).toEqual(['2026-11-01T05:30'])
  expect(at('America/New_York', '20270314T023000')).toEqual(['2027-03-14T07:30'])
})

test('whole days, zones that the file describes, times without one, and what takes no time', () => {
  expect(read(event('DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227', 'SUMMARY:Away'))).toMatchObject([
    { all_day: true, starts_at: '2026-12-24T00:00:00.000Z', ends_at: '2026-12-27T00:00:00.000Z', title: 'Away' },
  ])
  expect(starts(event('DTSTART;VALUE=DATE:20261224', 'RRULE:FREQ=DAILY;COUNT=2'))).toEqual(['2026-12-24T00:00', '2026-12-25T00:00'])
  const described = [
    ...['BEGIN:VTIMEZONE', 'TZID:W. Europe Standard Time'],
    ...[
      'BEGIN:STANDARD',
      'DTSTART:16010101T030000',
      'TZOFFSETFROM:+0200',
      'TZOFFSETTO:+0100',
      'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
      'END:STANDARD',
    ],
    ...[
      'BEGIN:DAYLIGHT',
      'DTSTART:16010101T020000',
      'TZOFFSETFROM:+0100',
      'TZOFFSETTO:+0200',
      'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
      'END:DAYLIGHT',
    ],
    'END:VTIMEZONE',
  ]
  const named = event('DTSTART;TZID=W. Europe Standard Time:20261024T090000', 'RRULE:FREQ=DAILY;COUNT=2')
  expect(starts([...described, ...named])).toEqual(['2026-10-24T07:00', '2026-10-25T08:00'])
  expect(starts(event('DTSTART:20261224T090000'), { zone: 'Europe/Berlin' })).toEqual(['2026-12-24T08:00'])
  const declined = 'ATTENDEE;PARTSTAT=DECLINED:mailto:Maya@example.com'
  expect(read(event('DTSTART:20261224T090000Z', declined)).map(({ busy }) => busy)).toEqual([false])
  expect(read(event('DTSTART:20261224T090000Z', 'STATUS:CANCELLED'))).toEqual([])
  expect(starts(event('DTSTART:20261224T090000Z', 'RDATE:20261226T090000Z,20261228T090000Z'))).toHaveLength(3)
  expect(read(['BEGIN:VTODO', 'UID:a', 'END:VTODO'])).toEqual([])
  expect(eventsIn(ICAL, { ...file([]), data: 'no calendar' }, reading)).toEqual([])
})

test('dates of a rule are those of ical.js, by some hundred rules', () => {
  let seed = 7
  const random = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * most)
  }
  const pick = <T>(of: T[]) => of[random(of.length)]!
  const parts: Record<string, string[]> = {
    // Days from the end of a month are read by ical.js for months alone.
    DAILY: ['', ';BYMONTH=1,3,12', ';BYDAY=MO,TU,FR', ';BYMONTHDAY=1,15'],
    WEEKLY: ['', ';BYDAY=TU,SU', ';BYDAY=MO,WE,FR;WKST=SU', ';BYDAY=SA;BYMONTH=2,11'],
    MONTHLY: [
      '',
      ';BYMONTHDAY=31',
      ';BYMONTHDAY=-1,15',
      ';BYDAY=2TU',
      ';BYDAY=-1FR',
      ';BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      ';BYDAY=FR;BYMONTHDAY=13',
    ],
    YEARLY: ['', ';BYMONTH=3;BYDAY=-1SU', ';BYMONTH=2;BYMONTHDAY=28', ';BYMONTH=11;BYDAY=4TH', ';BYMONTH=1,7;BYMONTHDAY=4'],
  }
  for (let n = 0; n < 300; n++) {
    const freq = pick(Object.keys(parts))
    const text = `FREQ=${freq};INTERVAL=${1 + random(4)}${pick(parts[freq]!)}${random(2) ? `;COUNT=${1 + random(30)}` : ''}`
    const wanted: number[] = []
    const until = Date.UTC(2027, 0, 1)
    const from = Date.UTC(2025, 0, 1)
    const guess = ICAL.Time.fromJSDate(new Date(Date.UTC(2019 + random(5), random(12), 1 + random(28), 9)), true)
    // A date that the rule names, so that both begin with the same one.
    const start = ICAL.Recur.fromString(text).iterator(guess).next()
    if (!start) continue
    const dates = ICAL.Recur.fromString(text).iterator(start)
    for (let at = dates.next(); at && at.toJSDate().getTime() <= until; at = dates.next()) wanted.push(at.toJSDate().getTime())
    const rule = ruleIn(text, () => () => false)!
    const found = [...datesOf(rule, start.toJSDate().getTime(), from, until)]
    const late = (all: number[]) => all.filter((at) => at >= from && at <= until).map((at) => new Date(at).toISOString())
    expect(late(found), `${text} from ${start}`).toEqual(late(wanted))
  }
})

test('rules that never come true, or come too often, end at once', () => {
  const began = performance.now()
  const dates = (rule: string, from = '20230206T090000Z') =>
    starts(event(`DTSTART:${from}`, `RRULE:${rule}`), { from: '2020-01-01T00:00:00Z' })
  expect(dates('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30')).toEqual(['2023-02-06T09:00'])
  expect(dates('FREQ=MONTHLY;INTERVAL=48;BYDAY=5MO')).toEqual(['2023-02-06T09:00'])
  expect(dates('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '00010206T090000Z')).toEqual([])
  expect(dates('FREQ=DAILY;COUNT=99999999;BYMONTH=2;BYMONTHDAY=30', '00010206T090000Z')).toEqual([])
  expect(dates('FREQ=SECONDLY')).toEqual(['2023-02-06T09:00'])
  expect(performance.now() - began).toBeLessThan(3000)
})

test('a series whose every date lasts a century is read up to a bound', () => {
  const daily = event('DTSTART:19260101T090000Z', 'DTEND:20260101T090000Z', 'RRULE:FREQ=DAILY;COUNT=40000')
  expect(read(daily).length).toBeLessThan(2_300)
})

test('what we write reads as it was meant, keeps what its owner added, and never makes one date of a series', () => {
  const wanted = {
    title: 'Review; with, commas',
    starts_at: '2026-12-01T09:00:00.000Z',
    ends_at: '2026-12-01T09:30:00.000Z',
    busy: true,
    notes: 'One\nTwo',
  }
  const data = fileWith(ICAL, 'key-1', wanted)!
  const of = (text: string) => eventOf(ICAL, { id: '/a', etag: null, modified: null, data: text }, reading)!
  expect(of(data)).toMatchObject({ ...wanted, key: 'key-1', all_day: false })
  const theirs = data
    .replace('END:VEVENT', 'X-COLOR:red\r\nEND:VEVENT')
    .replace(/DTSTART[^\r]*/, 'DTSTART;TZID=Europe/Berlin:20261201T110000')
  const moved = fileWith(ICAL, '', { ...wanted, starts_at: '2026-12-02T09:00:00.000Z', ends_at: '2026-12-02T09:30:00.000Z' }, theirs)!
  expect(of(moved)).toMatchObject({ starts_at: '2026-12-02T09:00:00.000Z', key: 'key-1' })
  expect(moved).toContain('X-COLOR:red')
  expect(fileWith(ICAL, '', wanted, data.replace('END:VEVENT', 'RRULE:FREQ=DAILY\r\nEND:VEVENT'))).toBe(null)
})
