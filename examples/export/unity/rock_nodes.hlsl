// Nodes of rock for Shader Graph 17.5 and newer, by reflection. Older ones ignore this file.
#include "ShaderApiReflectionSupport.hlsl"
#include "rock.hlsl"

#ifndef NEURALSHADE_ROCK_NODES_INCLUDED
#define NEURALSHADE_ROCK_NODES_INCLUDED

///<funchints>
///    <sg:ProviderKey>neuralshade.rock_Maps</sg:ProviderKey>
///    <sg:DisplayName>rock Maps</sg:DisplayName>
///    <sg:SearchCategory>neuralshade/rock</sg:SearchCategory>
///</funchints>
UNITY_EXPORT_REFLECTION
void rock_Maps_node(UnityTexture2D Numbers, float2 UV, float Level, out float3 Albedo, out float3 Normal, out float Roughness, out float Metallic, out float Smoothness)
{
    rock_Maps_float(Numbers, UV, Level, Albedo, Normal, Roughness, Metallic, Smoothness);
}

///<funchints>
///    <sg:ProviderKey>neuralshade.rock_Stochastic</sg:ProviderKey>
///    <sg:DisplayName>rock Stochastic</sg:DisplayName>
///    <sg:SearchCategory>neuralshade/rock</sg:SearchCategory>
///</funchints>
UNITY_EXPORT_REFLECTION
void rock_Stochastic_node(UnityTexture2D Numbers, float2 UV, float Level, float3 Random, out float3 Albedo, out float3 Normal, out float Roughness, out float Metallic, out float Smoothness)
{
    rock_Stochastic_float(Numbers, UV, Level, Random, Albedo, Normal, Roughness, Metallic, Smoothness);
}

///<funchints>
///    <sg:ProviderKey>neuralshade.rock_Level</sg:ProviderKey>
///    <sg:DisplayName>rock Level</sg:DisplayName>
///    <sg:SearchCategory>neuralshade/rock</sg:SearchCategory>
///</funchints>
UNITY_EXPORT_REFLECTION
void rock_Level_node(float2 UV, out float Level)
{
    rock_Level_float(UV, Level);
}

#endif // NEURALSHADE_ROCK_NODES_INCLUDED
