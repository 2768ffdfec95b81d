import { coresOf, unmasked } from './forms.ts'

// The words that the best-known weak passwords are made of. A password is common when what is left of it, once case, look-alike
// characters, trailing digits, years and punctuation are taken away, is one of these (or only these).
const BASES = new Set(
  `
password passw passwd pass secret welcome letmein admin administrator root toor login guest user test tester testing demo default
changeme change qwerty qwertz azerty qwertyuiop qwert asdf asdfgh asdfghjkl zxcv zxcvbn zxcvbnm qazwsx qazwsxedc wsxedc edcrfv
poiuy poiuytrewq lkjhgf mnbvcxz abc abcd abcde abcdef abcdefg abcdefgh aaaa aaaaaa aaaaaaaa iloveyou loveyou iloveu lovely love
lover loveme lovers sweetheart sweetie honey baby babygirl babyboy princess prince queen king sunshine sunflower rainbow flower
flowers butterfly angel angels heaven hello hellokitty hello-kitty hey whatever nothing something anything everything blahblah
blink monkey dragon tiger lion bear eagle falcon wolf wolves shark dolphin panther cougar jaguar cat cats dog dogs doggy kitty
kitten puppy horse horses pony rabbit bunny turtle snake spider scorpion phoenix unicorn buffalo chicken duck penguin pig cow
mouse hamster football baseball basketball soccer hockey softball volleyball tennis golf golfer golfing rugby cricket swimming
swimmer boxing wrestling racing nascar runner running player skater skateboard snowboard surfer surfing fishing hunter hunting
bowling superman batman spiderman ironman wolverine deadpool joker robin hulk captain marvel avengers starwars skywalker vader
darthvader yoda jedi startrek spock enterprise pokemon pikachu charizard naruto sasuke goku vegeta dragonball sonic mario luigi
zelda link minecraft fortnite roblox warcraft starcraft halo xbox playstation nintendo gamer gaming counter counterstrike
callofduty matrix neo trinity gandalf frodo hobbit legolas aragorn potter harrypotter hogwarts hermione voldemort simpsons homer
bart garfield snoopy scooby scoobydoo mickey minnie disney tinkerbell tigger pooh winnie barney elmo nemo shrek michael jennifer
jessica ashley daniel david michelle jordan robert thomas joshua matthew andrew charlie george james john joseph william richard
anthony christopher christian nicholas brandon justin ryan tyler kevin brian steven jason eric adam alex alexander alexis
alexandra benjamin samuel jacob nathan zachary austin dylan cameron logan mason ethan noah liam oliver jack harry oscar leo max
maxwell lucas luke louis henry edward charles patrick sean shaun shane scott gary peter paul mark marcus martin simon stephen
stuart kenneth keith ronald donald dennis douglas raymond gregory jeffrey frank frankie jerry larry terry jimmy johnny bobby billy
tommy danny ricky amanda nicole melissa stephanie elizabeth sarah samantha heather megan lauren rachel rebecca emily hannah
danielle brittany tiffany amber crystal courtney chelsea kimberly angela laura lisa maria mary anna anne andrea natalie natasha
victoria vanessa veronica patricia sandra susan karen nancy barbara linda donna carol sharon julie julia katie kathy kelly kristen
christina christine diana diane erica monica molly olivia sophie sophia isabella emma grace chloe zoe lily lucy ruby rose daisy
jasmine destiny faith hope summer winter spring autumn january february march april may june july august september october
november december monday tuesday wednesday thursday friday saturday sunday morning night midnight today tomorrow yesterday forever
always never london paris berlin madrid rome tokyo newyork boston chicago dallas houston texas florida california hollywood vegas
lasvegas miami denver seattle detroit atlanta orlando canada america american usa england ireland scotland australia germany
france spain italy brasil brazil mexico india china japan russia moscow sweden norway denmark finland poland holland israel egypt
africa europe arsenal liverpool manchester manutd united barcelona barca realmadrid juventus milan inter bayern dortmund celtic
rangers everton tottenham spurs newcastle westham ajax benfica porto galatasaray fenerbahce yankees redsox lakers celtics bulls
heat knicks steelers cowboys packers raiders broncos patriots eagles giants bears dolphins vikings chargers redskins saints
mercedes bmw audi porsche ferrari lamborghini corvette mustang camaro chevy chevrolet ford toyota honda nissan subaru yamaha
harley harleydavidson ducati kawasaki suzuki jeep dodge volvo volkswagen peugeot renault fiat tesla apple banana orange cherry
strawberry lemon peach mango grape watermelon pineapple coffee chocolate cookie cookies candy sugar butter pepper ginger vanilla
cheese pizza burger bacon pasta peanut coconut cocacola pepsi guinness whiskey vodka tequila corona budweiser heineken music
guitar drums piano bass rock rocknroll metal metallica nirvana slipknot linkinpark greenday blink182 eminem tupac 2pac beatles
elvis madonna britney beyonce rihanna shakira gaga bieber onedirection coldplay acdc ironmaiden megadeth pantera slayer korn tool
computer internet windows microsoft google facebook twitter instagram youtube yahoo hotmail gmail linkedin netflix amazon ebay
paypal samsung iphone android nokia sony motorola blackberry dell intel pentium cisco oracle linux ubuntu debian macbook server
network wireless router database mysql postgres backup system security access master private public manager support service office
company business money cash dollar bank credit account account1 email mail mobile phone freedom liberty victory winner champion
legend hero warrior ninja samurai knight soldier army navy marine marines airforce police fireman sniper killer hacker assassin
pirate cowboy gangster playboy pimp thug boss chief general major commander doctor nurse lawyer teacher student school college
university shadow silver gold golden diamond platinum emerald sapphire black white red blue green yellow purple pink brown gray
dark darkness light fire water earth wind ice snow storm thunder lightning rain sun moon star stars galaxy planet universe cosmos
ocean river mountain forest desert island beach paradise hell devil demon satan lucifer ghost zombie vampire werewolf jesus
jesuschrist christ god godisgood blessed bless amen prayer bible church allah muhammad buddha krishna ganesh peace trust believe
truth wisdom courage happy happiness smile laugh funny crazy cool sexy hot sweet cute pretty beautiful gorgeous awesome amazing
perfect special magic magical mystery dream dreams dreamer wonderful fantastic super power powerful please thankyou thanks sorry
goodbye goodluck lucky luck friend friends friendship family mother father mommy daddy mom dad sister brother son daughter grandma
grandpa uncle aunt wife husband girlfriend boyfriend marriage wedding birthday christmas easter halloween holiday vacation fuckyou
fuckme fuckoff fuck shit asshole bitch bastard pussy porn sex sexual bigdick cock dick boobs penis slut whore trustno1 letmein1
passpass testtest adminadmin rootroot useruser masterkey opensesame sesame access14 mypassword yourpassword newpassword
oldpassword thepassword nopassword password1234 temp temporary temppass initial firsttime signin signup register operon dashboard
seller buyer marketplace workflow startup 1234 12345 123456 1234567 12345678 123456789 1234567890 0123456789 987654321 9876543210
87654321 654321 54321 4321 112233 11223344 1122334455 121212 123123 123321 111111 1111111 11111111 222222 333333 444444 555555
666666 777777 7777777 888888 88888888 999999 000000 00000000 101010 010203 102030 131313 147258 159357 147258369 159753 142536
246810 13579 135790 147852 741852963 789456 789456123 696969 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 q1w2e3
q1w2e3r4 q1w2e3r4t5 zaq12wsx zaq1xsw2 zaq1zaq1 qwe123 qwe123qwe qweasd qweasdzxc asd123 asdasd qweqwe zxczxc abc123 abcd1234
a1b2c3 a1b2c3d4 1a2b3c 1a2b3c4d aa123456 a123456 a12345678 asdf1234 qwer1234 pass1234 test1234 admin123 welcome1 pa55word pa55w0rd
p455w0rd p4ssw0rd n0passw0rd 3rjs1la7qe google123 samsung1 charlie1 1password
`
    .trim()
    .split(/\s+/),
)

/** Whether it is made of such words. A guesser tries them first. */
export const isCommon = (password: string): boolean => variantsOf(password).some((variant) => isBase(variant) || isMonotone(variant))

/** Whether it is made of what the account itself gives away: the name, or the address. */
export function isPersonal(password: string, person: (string | null | undefined)[]): boolean {
  if (!person.length) return false
  const variants = variantsOf(password)
  return person.some((about) => {
    const name = lettersOf((about ?? '').toLowerCase().split('@')[0]!)
    return name.length >= 4 && variants.includes(name)
  })
}

function variantsOf(password: string): string[] {
  const cores = coresOf(password)
  return [...new Set([...cores, ...cores.map(unmasked)].map(lettersOf))].filter((form) => form.length >= 3)
}

const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')

/** A base, a base twice, or a base with a run of digits in a row or a year. */
function isBase(word: string): boolean {
  if (BASES.has(word)) return true
  const half = word.slice(0, word.length / 2)
  if (word.length % 2 === 0 && half + half === word && (BASES.has(half) || half.length <= 4)) return true
  // Two short bases side by side ("summerlove") are as well known as one.
  for (let at = 3; at <= word.length - 3; at++)
    if (word.length <= 12 && BASES.has(word.slice(0, at)) && BASES.has(word.slice(at))) return true
  return false
}

const isMonotone = (word: string) => new Set(word).size <= 2 && word.length >= 4
