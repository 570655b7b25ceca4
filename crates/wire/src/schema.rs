//! The types as other languages have them.

use crate::{
    Access, Change, Clock, Counted, Ended, Game, Language, Leader, Level, Listed, Me, Offer,
    Played, Player, Rated, Replay, Request, Say, Scene, Sitting, Tell,
};
use schemars::generate::SchemaSettings;
use serde_json::Value;
use ts_rs::TS;

/// The types as one JSON Schema, whose `$defs` are what a client says (`Request`), what the server
/// says (`Tell`), and what stands in them or is answered over HTTP.
pub fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let any =
        ["Request", "Tell"].map(|name| serde_json::json!({ "$ref": format!("#/$defs/{name}") }));
    generator.subschema_for::<Request>();
    generator.subschema_for::<Tell>();
    generator.subschema_for::<Game>();
    generator.subschema_for::<Leader>();
    generator.subschema_for::<Played>();
    generator.subschema_for::<Player>();
    generator.subschema_for::<Replay>();
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Parlor",
        "description": "What a client and the server say to each other.",
        "anyOf": any,
        "$defs": generator.take_definitions(true),
    })
}

/// The types in TypeScript.
pub fn typescript() -> String {
    let exported = [
        Access::decl(),
        Change::decl(),
        Clock::decl(),
        Counted::decl(),
        Ended::decl(),
        Game::decl(),
        Language::decl(),
        Leader::decl(),
        Level::decl(),
        Listed::decl(),
        Me::decl(),
        Offer::decl(),
        Played::decl(),
        Player::decl(),
        Rated::decl(),
        Replay::decl(),
        "type Request = { id: string } & Say;".to_owned(),
        Say::decl(),
        Scene::decl(),
        Sitting::decl(),
        Tell::decl(),
    ];
    let types = exported.map(|decl| format!("export {decl}\n"));
    // JSON has one kind of number.
    let types = types.join("\n").replace("bigint", "number");
    format!("// Generated from the wire crate: `make types`.\n\n{types}")
}

/// Fields that only a game or a table knows, in TypeScript.
pub(crate) struct Fields;

impl TS for Fields {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name() -> String {
        "Record<string, unknown>".to_owned()
    }

    fn inline() -> String {
        Self::name()
    }

    fn inline_flattened() -> String {
        Self::name()
    }

    fn decl() -> String {
        String::new()
    }

    fn decl_concrete() -> String {
        String::new()
    }
}
