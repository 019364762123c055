//! Words that make a question of others and say nothing of what is asked for: "how do I … in".
//!
//! Whoever asks in sentences looks for what the other words say. Where every third page of a manual has a "how", a "do" and an
//! "I", these count as much as a word that matters, and their lists are the longest of all. So of a question they are left
//! out, if enough is left; nothing else is, however frequent: in a manual of a database "index" is on as many pages as "how",
//! and only one of them is what somebody wants to know about.
//!
//! A question is in the language most of whose words it has; a word of another language is never taken for one of these:
//! "die" is an article only in German.
//!
//! On judged collections, questions as they were typed, nDCG@10 and MAP change by the factors that `benches/runs` has.

use crate::word::Word;

/// Something is asked for by so many other words.
const OTHERS_LEAST: usize = 2;

/// Words of a language, as terms are written: in lower case, without accents.
type List = &'static str;

/// The first of two languages that have as many words of a question is taken.
const LISTS: [List; 8] = [
    // English
    "a about am an and any are as at be been being but by can could did do does doing for from get gets give given had has \
     have having he her hers him his how i if in into is it its let me might must my of off on onto or our ours out over \
     shall she should so some such than that the their theirs them then there these they this those to too upon us was we \
     were what when where whether which while who whom whose why will with would you your yours",
    // German
    "aber als am an auch auf aus bei beim bin bis da damit dann das dass dem den denen der deren des die dies diese diesem \
     diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es euch fur gegen gibt hat hatte hatten ich \
     ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ist ja kann kannst konnen konnte man mein meine mich mir mit muss nach \
     ob oder seit sein seine seinem seinen seiner sich sie sind so sollte uber um und uns unter vom von vor war waren warum \
     was welche welchem welchen welcher welches wem wen wenn wer werden weshalb wessen wie wieso wird wo wofur woher wohin \
     worin wozu wurde wurden zu zum zur zwischen",
    // French
    "a afin ai alors au aux avec ce cela ces cet cette ceux comme comment dans de des donc dont du elle elles en est et etait \
     etaient etre eu eux faire fait fut il ils je la laquelle le lequel les lesquels leur leurs lors lui ma mais me mes moi \
     mon ne nos notre nous on ont ou par pas peut peux plus pour pourquoi puis quand que quel quelle quelles quels qui quoi sa \
     sans se ses si son sont sous sur ta te tes toi ton tu un une vers vos votre vous y",
    // Spanish
    "a al algo ante como con cual cuales cuando cuanto cuantos cuya cuyo de del desde donde durante e el ella ellas ellos en \
     entre era eran es esa ese eso esos esta estaba estado estan estar este esto estos fue fueron ha habia hace hacer hacia \
     han hasta hay la las le les lo los mas me mi mis muy ni no nos o os otra otro para pero por porque puede puedo que quien \
     quienes se segun ser si sido sin sobre son su sus tambien te tiene tienen tras tu u un una uno unos y ya yo",
    // Italian
    "a ad agli ai al alla alle allo anche c che chi ci come con cosa cui da dagli dai dal dalla dalle dallo degli dei del \
     della delle dello di dove due e ed era erano essere fa fare fra gli ha hanno ho i il in io l la le lei li lo loro lui ma \
     mi mia mio ne negli nei nel nella nelle nello noi non o per perche piu posso puo quale quali quando quanti quanto quella \
     quello questa queste questi questo qui se sei si sia sono stata stato su sugli sui sul sulla sulle sullo suo sua suoi \
     tra tu tuo un una uno vi voi",
    // Portuguese
    "a ao aos as com como da das de dela dele deles depois do dos e ela ele eles em entre era esta estao estar estas este \
     esteve eu foi foram ha isso isto ja lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o \
     onde os ou para pela pelas pelo pelos pode podem por porque posso qual quais quando quanto quantos que quem sao se seja \
     sem ser seu seus sobre sua suas tambem te tem tinha um uma umas uns voce",
    // Dutch
    "aan al als bij daar dan dat de der deze die dit doe door een en er haar had heb hebben heeft hem het hij hoe hun ik in \
     is je kan kun kunnen maar me men met mij mijn moet na naar niet nog of om omdat onder ons ook op over te tot u uit van \
     voor waar waarom wanneer waren was wat we welke werd wie wij worden wordt zal ze zich zij zijn zo zou",
    // Russian
    "а без был была были было быть в вам вас во вот все где да для до его ее если есть еще же за зачем и из или им их к как \
     какая какие какое какой когда кого которая которое которой которые который кто ли мне можно мой мы на над не него нее \
     нет ни них но о об он она они оно от откуда по под почему при с сколько со так такое там то тот ты у уже чего чем через \
     что чтобы эта эти это этот я",
];

/// Which of the words of a question only make it one; `None` if too little is left without them. `occurs` tells whether a word
/// is on any page.
pub(crate) fn of_question<E>(
    words: &[Word],
    mut occurs: impl FnMut(&Word) -> Result<bool, E>,
) -> Result<Option<Vec<bool>>, E> {
    let in_list = |list: List| -> Vec<bool> {
        let is_in = |term: &str| list.split_ascii_whitespace().any(|word| word == term);
        words.iter().map(|word| matches!(&word.terms[..], [term] if is_in(term))).collect()
    };
    let count = |are: &Vec<bool>| are.iter().filter(|is| **is).count();
    let of_languages = LISTS.map(in_list);
    let most = of_languages.iter().map(count).max().unwrap_or(0);
    let Some(are) = of_languages.into_iter().find(|are| count(are) == most).filter(|_| most > 0) else {
        return Ok(None);
    };
    let mut others = 0;
    for (word, _) in words.iter().zip(&are).filter(|(_, is)| !**is) {
        others += usize::from(occurs(word)?);
    }
    Ok((others >= OTHERS_LEAST).then_some(are))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;

    #[test]
    fn of_a_question_the_words_stay_that_say_what_is_asked_for() {
        let rows = [
            ("how do I create an index in postgresql", Some("create index postgresql")),
            ("what is the difference between a list and a tuple", Some("difference between list tuple")),
            ("wie kann ich die Größe der Datenbank ändern", Some("grosse datenbank andern")),
            ("come posso creare un indice nel database", Some("creare indice database")),
            ("как создать индекс в базе данных", Some("создать индекс базе данных")),
            // The articles of another language are words here.
            ("why did the old king die in the story", Some("old king die story")),
            ("to be or not to be", None),
            ("the meaning of it all is", Some("meaning all")),
            ("the index of it", None),
            ("create index concurrently on large table xyzzy", Some("create index concurrently large table")),
        ];
        for (text, left) in rows {
            let query = Query::parse(text).unwrap();
            let occurs = |word: &Word| Ok::<_, ()>(word.terms[0] != "xyzzy");
            let are = of_question(query.words(), occurs).unwrap();
            let words = |are: Vec<bool>| {
                let others =
                    query.words().iter().zip(are).filter(|(word, is)| !is && word.terms[0] != "xyzzy");
                others.map(|(word, _)| word.terms[0].clone()).collect::<Vec<_>>().join(" ")
            };
            assert_eq!(are.map(words).as_deref(), left, "{text}");
        }
    }
}
